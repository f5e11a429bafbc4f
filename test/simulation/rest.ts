import type { FakeKubernetes } from '../fakes/kubernetes/fake-kubernetes.ts';
import type { FakeProvider } from '../fakes/provider/fake-provider.ts';
import type { FakeWorkQueue } from '../fakes/queue/fake-work-queue.ts';
import type { FakePodStore } from '../fakes/stores/fake-pod-store.ts';
import type { Invariants } from './invariants.ts';
import { settledFault } from './settled.ts';

/** What is looked at once a world ought to have come to rest. */
export interface Scene {
  readonly kubernetes: FakeKubernetes;
  readonly provider: FakeProvider;
  readonly podStore: FakePodStore;
  readonly queue: FakeWorkQueue;
  readonly invariants: Invariants;
}

/** What is not at rest yet. */
export const unrest = ({ kubernetes, provider, invariants }: Scene): readonly string[] => {
  const pods = kubernetes.allPods();
  const uids = new Set(pods.map(({ metadata }) => metadata?.uid));
  return [
    ...pods.flatMap((pod) => {
      const uid = pod.metadata?.uid;
      const fault = settledFault(pod, provider.workloads(uid), invariants.runs(uid));
      return fault === undefined ? [] : `${uid}: ${fault}`;
    }),
    ...provider
      .live()
      .filter(({ podUid }) => !uids.has(podUid))
      .map(({ id }) => `${id} lives without its pod`),
  ];
};

/** What is left once everybody has gone. */
export const remains = ({ kubernetes, provider, podStore, queue }: Scene): readonly string[] => [
  ...kubernetes.allPods().map(({ metadata }) => `pod left: ${metadata?.name}`),
  ...provider.live().map(({ id }) => `workload left: ${id}`),
  ...podStore.rows().map((row) => `row left: ${JSON.stringify(row)}`),
  ...(queue.length > 0 ? [`messages left: ${queue.length}`] : []),
];
