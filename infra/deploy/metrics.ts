/**
 * Figures of the functions themselves, as lines of their logs: lease age of each node, reconciles by result, launches by
 * result. CloudWatch bills each with its labels as a metric of its own, $0.30 a month for the hours in which it has values:
 * at most $1.80 with one node, $0.30 for a further one; the lines themselves are some cents.
 */
export const METRICS_NAMESPACE = 'svk';

/** As the functions name them: src/app/function-metrics.ts. */
export const FUNCTION_METRICS = {
  leaseAge: 'svk_node_lease_age_seconds',
  syncs: { name: 'svk_pod_syncs_total', results: ['success', 'error'] },
  launches: { name: 'svk_launches_total', results: ['started', 'refused', 'unknown'] },
} as const;
