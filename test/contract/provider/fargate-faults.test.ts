import { describe, expect, it } from 'vitest';
import { startUpMs } from '../ecs-emulator/harness.ts';
import { current, podOf, request, simulate, start, started, uidOf } from './fargate-launches.ts';
import { fargateWorld } from './fargate-world.ts';

const { signal } = new AbortController();

describe('what goes wrong', () => {
  it.each([
    ['pull-error not-found', { kind: 'failed-to-start', reason: 'ErrImagePull' }],
    ['pull-error invalid-reference', { kind: 'failed-to-start', reason: 'InvalidImageName' }],
    ['start-error exec: "nope": executable file not found in $PATH', { kind: 'exited' }],
    ['run 1s; oom', { kind: 'exited' }],
    ['run 1s; exit lost', { kind: 'exited' }],
  ])('%s', async (script, end) => {
    const fargate = await fargateWorld();
    const { id } = await start(fargate, podOf(uidOf(1)), simulate(script));
    await fargate.world.clock.advance(30_000);
    expect(await current(fargate, id)).toMatchObject({ phase: 'stopped', end });
  });

  it('tells a start error and want of memory by exit code and reason', async () => {
    const fargate = await fargateWorld();
    const failed = await start(fargate, podOf(uidOf(1)), simulate('start-error exec format error'));
    const killed = await start(fargate, podOf(uidOf(2)), simulate('run 1s; oom'));
    const lost = await start(fargate, podOf(uidOf(3)), simulate('run 1s; exit lost'));
    await fargate.world.clock.advance(30_000);
    expect((await current(fargate, failed.id)).containers).toMatchObject([{ exitCode: 128, reason: 'StartError' }]);
    expect((await current(fargate, killed.id)).containers).toMatchObject([{ exitCode: 137, reason: 'OOMKilled' }]);
    expect((await current(fargate, lost.id)).containers[0]).not.toHaveProperty('exitCode');
  });

  it('tells a Spot interruption while the task still runs', async () => {
    const fargate = await fargateWorld();
    const pod = podOf(uidOf(1));
    const spot = {
      ...pod,
      metadata: { ...pod.metadata, namespace: 'batch', annotations: { 'svk.dev/profile': 'spot' } },
    };
    const { id } = await start(fargate, spot);
    await fargate.world.clock.advance(startUpMs);
    fargate.world.aws.faults.inject({ kind: 'spot-interruption', taskArn: id });
    await fargate.world.clock.advance(100);
    expect(await current(fargate, id)).toMatchObject({
      stopping: true,
      end: { kind: 'disrupted', reason: 'Preempted' },
    });
  });

  it('T-01 takes a throttle in disguise for a throttle', async () => {
    const fargate = await fargateWorld();
    const once = await request(fargate, podOf(uidOf(1)));
    fargate.world.aws.faults.inject({ kind: 'throttle', action: 'RunTask', dressed: true, count: 1 });
    expect(await fargate.provider.launch(once, signal)).toMatchObject({
      kind: 'refused',
      cause: 'throttled',
      final: false,
    });
    expect((await fargate.provider.launch(once, signal)).kind).toBe('started');
  });

  it('adopts the task of a token that was used with other parameters', async () => {
    const fargate = await fargateWorld();
    const once = await request(fargate, podOf(uidOf(1)));
    const { id } = started(await fargate.provider.launch(once, signal));
    const other = { body: JSON.stringify({ ...JSON.parse(once.body), tags: [] }) };
    expect(started(await fargate.provider.launch(other, signal)).id).toBe(id);
  });

  it('leaves out containers nobody asked for', async () => {
    const fargate = await fargateWorld();
    fargate.world.aws.faults.inject({ kind: 'stranger', count: 1 });
    const { id } = await start(fargate, podOf(uidOf(1)));
    await fargate.world.clock.advance(startUpMs);
    expect((await current(fargate, id)).containers.map(({ name }) => name)).toEqual(['main']);
  });

  it('says of a task that cannot be seen yet that it is missing', async () => {
    const fargate = await fargateWorld();
    fargate.world.aws.faults.inject({ kind: 'missing', seconds: 5, count: 1 });
    const { id } = await start(fargate, podOf(uidOf(1)));
    expect(await fargate.provider.describe([id], signal)).toEqual({ workloads: [], missing: [id] });
    await fargate.world.clock.advance(5001);
    expect((await fargate.provider.describe([id], signal)).missing).toEqual([]);
  });
});
