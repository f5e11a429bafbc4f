import type { TemplatePart } from './template.ts';

/**
 * What pods use, for `kubectl top` and autoscalers: ECS measures every container once a minute and writes it to a log group,
 * which the kubelet API reads. $0.30 a month for each of its metrics, by the hour: about $2.40 for the cluster and as much
 * for each pod template that runs; and about $0.07 for the log of each pod that runs all month.
 */
export const containerInsights = (): TemplatePart => ({
  extensions: {
    Cluster: { Properties: { ClusterSettings: [{ Name: 'containerInsights', Value: 'enabled' }] } },
  },
});
