import type { PodReading, PodView } from '../../src/controllers/pod/pod-view.ts';
import type { Pod } from '../../src/model/kubernetes.ts';
import type { PodState } from '../../src/model/pod-row.ts';
import { aPod, type PodWish } from './a-pod.ts';
import { NOW } from './a-workload.ts';

export interface ViewWish extends Partial<Omit<PodView, 'pod' | 'state'>> {
  /** A pod to be found, or what was read instead. */
  readonly pod?: PodWish | Exclude<PodReading, { readonly kind: 'found' }>;
  readonly state?: Partial<PodState>;
}

/** What is known of pod `web` (`uid-1`) at NOW: bound, ten seconds old, nothing launched yet, its node adopted. */
export const aView = ({ pod = {}, state = {}, ...wish }: ViewWish = {}): PodView => ({
  now: NOW,
  identity: { namespace: 'default', name: 'web', uid: 'uid-1' },
  node: 'fargate',
  pod: 'kind' in pod ? pod : { kind: 'found', pod: readPod(pod) },
  state: { attempts: [], restarts: {}, recovered: true, ...state },
  workloads: (state.attempts ?? []).flatMap(({ observed }) => observed ?? []),
  nodeRow: { adoptedAt: 1, clusterId: 'cluster-1' },
  announced: [],
  ...wish,
});

/** As the API server answers it to a GET at NOW. */
export const readPod = (wish: PodWish = {}): Pod =>
  aPod({
    ...wish,
    uid: 'uid-1',
    metadata: { creationTimestamp: '2030-01-01T11:59:50Z', resourceVersion: '7', ...wish.metadata },
  });
