import { describe, expect, it } from 'vitest';
import { TransientError } from '../../../src/core/errors.ts';
import type { PodWish } from '../../support/a-pod.ts';
import { PodWorld } from '../../support/pod-world.ts';

const FALLS_BACK: PodWish = { containers: [{ terminationMessagePolicy: 'FallbackToLogsOnError' }] };

/** A pod that has printed these lines and runs. */
const printed = async (wish: PodWish, ...lines: readonly string[]): Promise<{ world: PodWorld; id: string }> => {
  const world = await PodWorld.create();
  await world.addPod({ restartPolicy: 'Never', ...wish });
  const { id } = world.workload;
  await world.happens(() => world.provider.run(id));
  world.provider.print(id, 'main', ...lines);
  return { world, id };
};

const ended = (world: PodWorld): { readonly message?: string; readonly reason?: string } =>
  world.status().containerStatuses?.[0]?.state?.terminated ?? {};

describe('the termination message of a container that falls back to its log', () => {
  it('is the end of the log, told together with the failure', async () => {
    const { world, id } = await printed(FALLS_BACK, 'starting', 'no database');
    const phases: (string | undefined)[] = [];
    world.kubernetes.onPod((_change, { status }) => phases.push(status?.phase));
    await world.happens(() => world.provider.exit(id, 3));
    expect(ended(world).message).toBe('starting\nno database\n');
    expect(phases).toEqual(['Failed']);
  });

  it.each([
    { when: 'the container succeeds', wish: FALLS_BACK, exitCode: 0 },
    { when: 'the policy is File', wish: { containers: [{ terminationMessagePolicy: 'File' }] }, exitCode: 3 },
  ])('is none where $when, and no log is read', async ({ wish, exitCode }) => {
    const { world, id } = await printed(wish, 'all there is');
    await world.happens(() => world.provider.exit(id, exitCode));
    expect(ended(world).message ?? '').not.toContain('all there is');
    expect(world.provider.calls).not.toContain('logs');
  });

  it('is that of the runtime where the container could not be started: it has no log', async () => {
    const { world, id } = await printed(FALLS_BACK, 'of an earlier life');
    const message = 'exec: "nope": executable file not found in $PATH';
    await world.happens(() => world.provider.exit(id, 128, { reason: 'StartError', message }));
    expect(ended(world)).toMatchObject({ reason: 'StartError', message });
    expect(world.provider.calls).not.toContain('logs');
  });

  it('follows what the runtime says', async () => {
    const { world, id } = await printed(FALLS_BACK, 'allocating');
    const container = { reason: 'OOMKilled', message: 'OutOfMemoryError: Container killed due to memory usage' };
    await world.happens(() => world.provider.exit(id, 137, container));
    expect(ended(world)).toMatchObject({
      reason: 'OOMKilled',
      message: 'OutOfMemoryError: Container killed due to memory usage: allocating\n',
    });
  });

  it('has at most 80 lines', async () => {
    const lines = Array.from({ length: 200 }, (_, line) => `line ${line}`);
    const { world, id } = await printed(FALLS_BACK, ...lines);
    await world.happens(() => world.provider.exit(id, 1));
    expect(ended(world).message).toMatch(/^line 120\n/);
    expect(ended(world).message).toMatch(/\nline 199\n$/);
  });

  it('has at most 2048 bytes, and no half of a character', async () => {
    const { world, id } = await printed(FALLS_BACK, 'ä'.repeat(3_000));
    await world.happens(() => world.provider.exit(id, 1));
    expect(ended(world).message).toBe(`${'ä'.repeat(1_023)}\n`);
  });

  it('stays with the run it belongs to, and is read once', async () => {
    const { world, id } = await printed({ ...FALLS_BACK, restartPolicy: 'Always' }, 'first run');
    await world.happens(() => world.provider.exit(id, 1));
    await world.happens(() => world.provider.run(world.workload.id));
    await world.pass(600_000);
    expect(world.status().containerStatuses?.[0]?.lastState?.terminated?.message).toBe('first run\n');
    expect(world.provider.calls.filter((call) => call === 'logs')).toHaveLength(1);
  });

  it('waits a moment for lines that arrive after the news of the end', async () => {
    const { world, id } = await printed(FALLS_BACK);
    world.provider.hook = (method, when) => {
      if (method === 'logs' && when === 'after') world.provider.print(id, 'main', 'late');
    };
    await world.happens(() => world.provider.exit(id, 1));
    expect(ended(world).message).toBe('late\n');
  });

  it('is given up where the log cannot be read: the failure is told all the same', async () => {
    const { world, id } = await printed(FALLS_BACK, 'never seen');
    world.provider.faults.failNext('logs', new TransientError('CloudWatch is down'));
    await world.happens(() => world.provider.exit(id, 1));
    expect(world.status().phase).toBe('Failed');
    expect(ended(world).message).toBe('Essential container in task exited');
  });

  it('is given up after five seconds where the log does not come', async () => {
    const { world, id } = await printed(FALLS_BACK, 'never seen');
    world.provider.hook = (method) => (method === 'logs' ? new Promise(() => {}) : undefined);
    world.provider.exit(id, 1);
    const working = world.deliver([{ kind: 'notification', notification: world.provider.notificationOf(id) }]);
    await world.clock.advance(3_000);
    expect(world.status().phase).toBe('Running');
    await world.clock.advance(2_000);
    await working;
    expect(world.status().phase).toBe('Failed');
  });
});
