import { defineConfig } from 'vitest/config';

/** Kinds that live in real time, where CI's machine may halt for seconds: a second attempt is granted, and scripts/test.ts names it. */
const RETRIED = new Set(process.env['CI'] === 'true' ? ['contract', 'integration', 'cluster', 'docker'] : []);

/** Kinds of tests that start servers, processes or threads: one file at a time, each kind after the others. */
const slow = (name: string, groupOrder: number, timeoutMs: number, globalSetup: readonly string[] = []) => ({
  test: {
    name,
    globalSetup: [...globalSetup],
    include: [`test/${name}/**/*.test.ts`],
    fileParallelism: false,
    testTimeout: timeoutMs,
    hookTimeout: timeoutMs,
    retry: RETRIED.has(name) ? 1 : 0,
    sequence: { groupOrder },
  },
});

const fast = (name: string) => ({
  test: {
    name,
    include: [`test/${name}/**/*.test.ts`],
    testTimeout: 20_000,
    retry: RETRIED.has(name) ? 1 : 0,
    sequence: { groupOrder: 0 },
  },
});

export default defineConfig({
  test: {
    maxWorkers: 2,
    projects: [
      ...['unit', 'golden', 'contract', 'scenarios'].map(fast),
      slow('simulation', 1, 20_000),
      slow('integration', 2, 120_000),
      slow('deploy', 3, 600_000, ['test/deploy/support/package-once.ts']),
      slow('cluster', 4, 300_000),
      slow('docker', 5, 300_000),
    ],
  },
});
