import type { Pod } from '../../../src/model/kubernetes.ts';
import type { ServerClock } from './collection.ts';

/**
 * What a DELETE makes of a pod, by the API server's rules (registry/core/pod strategy, rest.BeforeDelete): undefined where
 * it goes at once, else the pod as it stays.
 */
export const deletePodGracefully = (
  pod: Pod,
  graceSeconds: number | undefined,
  server: ServerClock,
): Pod | undefined => {
  const metadata = pod.metadata ?? {};
  const held = (metadata.finalizers ?? []).length > 0;
  const period = gracePeriod(pod, graceSeconds);
  const earlier = metadata.deletionTimestamp === undefined ? undefined : (metadata.deletionGracePeriodSeconds ?? 0);
  if (earlier !== undefined && (graceSeconds === undefined || period >= earlier) && period > 0) return pod;
  if (period === 0 && !held) return undefined;
  return {
    ...pod,
    metadata: {
      ...metadata,
      deletionTimestamp: shortened(metadata.deletionTimestamp, earlier, period) ?? server.timestamp(period),
      deletionGracePeriodSeconds: period,
    },
  };
};

const gracePeriod = ({ spec, status }: Pod, asked: number | undefined): number => {
  const over = status?.phase === 'Succeeded' || status?.phase === 'Failed';
  if (!spec?.nodeName || over) return 0;
  const period = asked ?? spec.terminationGracePeriodSeconds ?? 30;
  return period < 0 ? 1 : period;
};

const shortened = (timestamp: string | undefined, earlier: number | undefined, period: number): string | undefined =>
  timestamp === undefined
    ? undefined
    : new Date(Date.parse(timestamp) - ((earlier ?? 0) - period) * 1_000).toISOString().replace(/\.\d+Z$/, 'Z');

/** Sets `spec.nodeName` and the PodScheduled condition as the Binding does. */
export const boundPod = (pod: Pod, node: string, now: string): Pod => ({
  ...pod,
  spec: { ...pod.spec, containers: pod.spec?.containers ?? [], nodeName: node },
  status: {
    ...pod.status,
    conditions: [
      ...(pod.status?.conditions ?? []).filter(({ type }) => type !== 'PodScheduled'),
      { type: 'PodScheduled', status: 'True', lastTransitionTime: now },
    ],
  },
});
