import { SYSTEM } from '../access/user.ts';
import type { Api } from '../api.ts';
import type { JsonObject, KubernetesObject } from '../model/object.ts';
import { ApiError } from '../model/status.ts';
import { createObject } from '../objects/create.ts';
import { events } from '../resources/events.ts';

export interface EventText {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

let recorded = 0;

/**
 * Writes an event about `object`. `rest` holds what the two styles of reporters differ in. A namespace that is going
 * takes no events; that is no fault.
 */
export const recordEvent = async (
  api: Api,
  object: KubernetesObject,
  { type, reason, message }: EventText,
  rest: JsonObject,
): Promise<void> => {
  const { name = '', uid, namespace, resourceVersion } = object.metadata;
  recorded += 1;
  const stamp = (BigInt(api.clock.now()) * 1_000_000n + BigInt(recorded % 1_000_000)).toString(16);
  const event = {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: `${name}.${stamp}`, namespace: namespace ?? 'default' },
    involvedObject: {
      apiVersion: object.apiVersion,
      kind: object.kind,
      name,
      uid,
      ...(namespace === undefined ? {} : { namespace, resourceVersion }),
    },
    reason,
    message,
    type,
    ...rest,
  };
  try {
    await createObject(api, events, event, { namespace: namespace ?? 'default', isDryRun: false, user: SYSTEM });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
  }
};
