import { execFileSync } from 'node:child_process';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { buildBundles, startLocalCloud } from '../support/local-cloud.ts';

beforeAll(buildBundles);

/** Resident memory of the process and its children, in MiB. */
const memoryOf = (pid: number): number => {
  const lines = execFileSync('ps', ['-o', 'rss=', '--pid', String(pid), '--ppid', String(pid)], { encoding: 'utf8' });
  return lines
    .trim()
    .split('\n')
    .map(Number)
    .reduce((sum, kibibytes) => sum + kibibytes / 1024, 0);
};

describe('npm start', () => {
  it('is ready within 10 s and takes at most 500 MiB', async () => {
    const began = Date.now();
    const cloud = await startLocalCloud();
    const seconds = (Date.now() - began) / 1000;
    onTestFinished(async () => {
      expect(await cloud.stop()).toBe(0);
    });
    expect(memoryOf(cloud.pid)).toBeLessThan(500);
    // Two idle cores take four; whoever shares them needs longer.
    expect(seconds).toBeLessThan(process.env['CI'] === 'true' ? 10 : 30);
  });
});
