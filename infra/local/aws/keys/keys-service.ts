import { ActionService } from '../action-service.ts';
import type { Actions } from '../answer-for.ts';
import type { Throttles } from '../throttles.ts';
import type { KeysContext } from './context.ts';
import { decryptBlob, generateDataKey } from './data-keys.ts';
import { createKey, describeKey, disableKey, enableKey } from './key-actions.ts';

const actions: Actions<KeysContext> = {
  CreateKey: { bucket: 'keys-modify', run: createKey },
  EnableKey: { bucket: 'keys-modify', run: enableKey },
  DisableKey: { bucket: 'keys-modify', run: disableKey },
  DescribeKey: { bucket: 'keys-read', run: describeKey },
  GenerateDataKey: { bucket: 'keys-use', run: generateDataKey },
  Decrypt: { bucket: 'keys-use', run: decryptBlob },
};

/** Of KMS what encrypted sessions need, in memory. */
export class KeysService extends ActionService<KeysContext> {
  constructor(context: KeysContext, throttles: Throttles) {
    super('kms', actions, context, throttles);
  }
}
