import { answerFor } from '../answer-for.ts';
import type { BucketName, Throttles } from '../throttles.ts';
import type { KeysContext } from './context.ts';
import { decryptBlob, generateDataKey } from './data-keys.ts';
import { createKey, describeKey, disableKey, enableKey } from './key-actions.ts';

interface Action {
  readonly bucket: BucketName;
  readonly run: (context: KeysContext, input: unknown) => unknown;
}

const actions: Readonly<Record<string, Action>> = {
  CreateKey: { bucket: 'keys-modify', run: createKey },
  EnableKey: { bucket: 'keys-modify', run: enableKey },
  DisableKey: { bucket: 'keys-modify', run: disableKey },
  DescribeKey: { bucket: 'keys-read', run: describeKey },
  GenerateDataKey: { bucket: 'keys-use', run: generateDataKey },
  Decrypt: { bucket: 'keys-use', run: decryptBlob },
};

/** Of KMS what encrypted sessions need, in memory. */
export class KeysService {
  readonly #context: KeysContext;
  readonly #throttles: Throttles;

  constructor(context: KeysContext, throttles: Throttles) {
    this.#context = context;
    this.#throttles = throttles;
  }

  /** @throws {AwsError | NoAnswer} as the ECS service does. */
  handle(action: string, input: unknown): Promise<unknown> {
    const { faults } = this.#context;
    return answerFor('kms', action, { faults, throttles: this.#throttles, actions, context: this.#context, input });
  }
}
