import * as z from 'zod/mini';
import type { ContainerUsage } from '../runtime.ts';

/** The engine's statistics of a container, as far as they are needed; a container that has ended has none of them. */
const statistics = z.object({
  cpu_stats: z.object({ cpu_usage: z.object({ total_usage: z.number() }) }),
  memory_stats: z.object({
    usage: z.number(),
    stats: z.optional(z.object({ inactive_file: z.optional(z.number()), total_inactive_file: z.optional(z.number()) })),
  }),
});

/** Memory without the page cache that could be dropped, as Docker's own client tells it. Undefined where nothing runs. */
export const toContainerUsage = (answer: unknown): ContainerUsage | undefined => {
  const parsed = statistics.safeParse(answer);
  if (!parsed.success) return undefined;
  const { cpu_stats, memory_stats } = parsed.data;
  // Control groups of version 1 have both; there only the total holds what is below.
  const cache = memory_stats.stats?.total_inactive_file ?? memory_stats.stats?.inactive_file ?? 0;
  return {
    cpuNanoSeconds: cpu_stats.cpu_usage.total_usage,
    memoryBytes: Math.max(0, memory_stats.usage - cache),
  };
};
