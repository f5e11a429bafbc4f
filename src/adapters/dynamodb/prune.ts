import type { PodRow } from '../../model/pod-row.ts';

/**
 * Ids of the observations a row can do without: stopped workloads of attempts older than those in its state. What runs
 * is never forgotten, and an attempt the state does not know yet is news.
 */
export const prunableObservations = ({ observations, state }: PodRow): readonly string[] => {
  if (state.attempts.length === 0) return [];
  const oldest = Math.min(...state.attempts.map(({ attempt }) => attempt));
  return Object.entries(observations)
    .filter(([, { phase, attempt }]) => phase === 'stopped' && attempt < oldest)
    .map(([id]) => id);
};
