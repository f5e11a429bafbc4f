import type { PodWake } from '../../../src/model/messages.ts';
import type { PodRow } from '../../../src/model/pod-row.ts';
import type { Workload } from '../../../src/model/workload.ts';
import type { KnownPod, PodStore } from '../../../src/ports/pod-store.ts';

export const NOW = 1_893_456_000_000;
export const MINUTE = 60_000;

export const wakeOf = (uid: string, fields: Partial<PodWake> = {}): PodWake => ({
  v: 1,
  kind: 'wake',
  reason: 'bind',
  uid,
  namespace: 'default',
  name: `pod-${uid}`,
  node: 'fargate',
  ...fields,
});

/** The pod of {@link wakeOf}, as rows name it. */
export const knownPodOf = (uid: string): KnownPod => ({
  pod: { uid, namespace: 'default', name: `pod-${uid}` },
  node: 'fargate',
});

export const workloadOf = (podUid: string, fields: Partial<Workload> = {}): Workload => ({
  id: `arn:aws:ecs:eu-west-1:123456789012:task/svk/${podUid}-1`,
  podUid,
  attempt: 1,
  try: 1,
  version: 1,
  phase: 'starting',
  stopping: false,
  ips: [],
  containers: [],
  ...fields,
});

/** A row woken once and claimed as `one` from {@link NOW} for a minute. */
export const claimed = async (store: PodStore, uid: string): Promise<PodRow> => {
  await store.wake(wakeOf(uid));
  const row = await store.claim(uid, { id: 'one', now: NOW, until: NOW + MINUTE });
  if (!row) throw new Error(`could not claim ${uid}`);
  return row;
};
