import * as z from 'zod/mini';
import { parseInput } from '../parse-input.ts';
import { type KeysContext, knownKey } from './context.ts';
import type { Key } from './key-store.ts';

const named = z.object({ KeyId: z.optional(z.string()) });

/** CreateKey: a symmetric one, whatever else is asked for. */
export const createKey = ({ store, clock }: KeysContext): unknown => ({
  KeyMetadata: metadataOf(store.create(clock.now())),
});

export const describeKey = (context: KeysContext, input: unknown): unknown => ({
  KeyMetadata: metadataOf(knownKey(context, parseInput(named, input).KeyId)),
});

export const enableKey = (context: KeysContext, input: unknown): unknown => put(context, input, true);

export const disableKey = (context: KeysContext, input: unknown): unknown => put(context, input, false);

const put = (context: KeysContext, input: unknown, isEnabled: boolean): unknown => {
  context.store.put({ ...knownKey(context, parseInput(named, input).KeyId), isEnabled });
  return {};
};

const metadataOf = ({ id, arn, createdAt, isEnabled }: Key): unknown => ({
  KeyId: id,
  Arn: arn,
  CreationDate: createdAt / 1000,
  Enabled: isEnabled,
  KeyState: isEnabled ? 'Enabled' : 'Disabled',
  KeySpec: 'SYMMETRIC_DEFAULT',
  KeyUsage: 'ENCRYPT_DECRYPT',
  KeyManager: 'CUSTOMER',
});
