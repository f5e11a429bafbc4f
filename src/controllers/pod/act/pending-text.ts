import type { RefusalCause } from '../../../model/launch.ts';

/** Reason of the status and the event for a launch that was refused. */
export const REFUSAL_REASONS: Readonly<Record<RefusalCause, string>> = {
  capacity: 'OutOfCapacity',
  quota: 'QuotaExceeded',
  throttled: 'Throttled',
  configuration: 'ProviderConfiguration',
  invalid: 'Unsupported',
};

/** What a pod's status says while it waits, for its user to read. `message` is the provider's. */
export const pendingText = (cause: RefusalCause, message: string): string => `${TEXTS[cause]}: ${message}`;

const TEXTS: Readonly<Record<RefusalCause, string>> = {
  capacity: 'there is no capacity for this pod at the moment; it is tried again',
  quota: "the account's quota is used up; the pod is tried again",
  throttled: 'too many launches at once; the pod is tried again',
  configuration: 'the operator of this node must mend its configuration; the pod is tried again',
  invalid: 'the provider does not take this pod',
};
