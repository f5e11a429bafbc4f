/**
 * Why a pod is woken. Only `bind`, `create`, `resync` and `watch` saw the pod and may create its row; the rest need one.
 * `bind`, `create` and `delete` saw it coming: the API server asks the webhook before it stores.
 */
export type WakeReason = 'bind' | 'create' | 'delete' | 'resync' | 'timer' | 'watch' | 'requeue';

/** True where whoever sent the wake saw the pod, which may therefore be remembered. */
export const hasSeenPod = (reason: WakeReason): boolean =>
  reason === 'bind' || reason === 'create' || reason === 'resync' || reason === 'watch';

/** Says which pod, never what to do: the worker reads the world. `node` is absent where the sender does not know it. */
export interface PodWake {
  readonly v: 1;
  readonly kind: 'wake';
  readonly reason: WakeReason;
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
  readonly node?: string;
}

/** A heartbeat for the 10-second slot that begins at `slot` (milliseconds since the epoch). */
export interface Beat {
  readonly v: 1;
  readonly kind: 'beat';
  readonly slot: number;
}

export type QueueMessage = PodWake | Beat;
