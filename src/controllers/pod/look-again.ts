import type { PodIdentity } from '../../model/pod-identity.ts';
import type { PodDependencies } from './pod-dependencies.ts';

/** Long enough for what the API server was about to store, short enough for somebody who waits. */
const LOOK_AGAIN_SECONDS = 1;

/** Has the pod taken up once more by a wake that expects nothing. @throws what the queue throws. */
export const lookAgain = (
  { queue }: Pick<PodDependencies, 'queue'>,
  { uid, namespace, name }: PodIdentity,
  signal: AbortSignal,
): Promise<void> =>
  queue.send(
    [{ message: { v: 1, kind: 'wake', reason: 'requeue', uid, namespace, name }, delaySeconds: LOOK_AGAIN_SECONDS }],
    signal,
  );
