import { describe, expect, it } from 'vitest';
import { containerSettings } from '../../../../../infra/local/runtimes/docker/container-settings.ts';
import { spec } from '../runtime-contract.ts';

const around = {
  task: { id: 't1', arn: 'arn', cpuUnits: 512, memoryMiB: 1024, sharedPids: false, volumes: ['data'] },
  pauseId: 'pause1',
  labels: { 'dev.svk.local': 'run1' },
  volumes: new Map([['data', 'svk-t1-data']]),
  containers: new Map([['first', 'id1']]),
  cpus: 8,
};

const hostConfig = (
  container: Parameters<typeof spec>[0],
  changes: Partial<Parameters<typeof containerSettings>[1]> = {},
): unknown => containerSettings(spec(container), { ...around, ...changes })['HostConfig'];

describe('a container for the engine', () => {
  it('joins its task’s network, ignores the image’s health check, and keeps no log', () => {
    expect(containerSettings(spec(), around)).toMatchObject({
      Image: 'busybox:1.37',
      Healthcheck: { Test: ['NONE'] },
      Labels: { 'dev.svk.local': 'run1' },
      HostConfig: {
        NetworkMode: 'container:pause1',
        LogConfig: { Type: 'none' },
        RestartPolicy: { Name: 'no' },
        Init: false,
      },
    });
  });

  it('leaves to the image what it does not say itself', () => {
    const settings = containerSettings(spec(), around);
    for (const member of ['Entrypoint', 'Cmd', 'WorkingDir', 'User']) expect(settings).not.toHaveProperty(member);
  });

  it('cannot take our label away', () => {
    expect(containerSettings(spec({ labels: { 'dev.svk.local': 'other', mine: '1' } }), around)['Labels']).toEqual({
      'dev.svk.local': 'run1',
      mine: '1',
    });
  });

  it.each([
    { want: 'its own limit', container: { memoryMiB: 64 }, bytes: 67_108_864 },
    { want: 'its task’s memory without one', container: {}, bytes: 1_073_741_824 },
  ])('gets $want and no swap', ({ container, bytes }) => {
    expect(hostConfig(container)).toMatchObject({ Memory: bytes, MemorySwap: bytes });
  });

  it.each([
    { want: 'its task’s CPUs', cpus: 8, nano: 500_000_000 },
    { want: 'no more than the machine has', cpus: 0.25, nano: 250_000_000 },
  ])('gets $want', ({ cpus, nano }) => {
    expect(hostConfig({}, { cpus })).toMatchObject({ NanoCpus: nano });
  });

  it.each([
    { want: 'two shares for none', cpuShares: 0, shares: 2 },
    { want: 'its own shares', cpuShares: 256, shares: 256 },
  ])('gets $want', ({ cpuShares, shares }) => {
    expect(hostConfig({ cpuShares })).toMatchObject({ CpuShares: shares });
  });

  it('shares process ids where its task does', () => {
    expect(hostConfig({}, { task: { ...around.task, sharedPids: true } })).toMatchObject({
      PidMode: 'container:pause1',
    });
    expect(hostConfig({})).not.toHaveProperty('PidMode');
  });

  it('mounts its task’s volumes and those of others, by the engine’s names', () => {
    const mounts = [{ volume: 'data', path: '/data', readOnly: true }];
    const mountsFrom = [{ container: 'first', readOnly: false }];
    expect(hostConfig({ mounts, mountsFrom })).toMatchObject({
      Mounts: [{ Type: 'volume', Source: 'svk-t1-data', Target: '/data', ReadOnly: true }],
      VolumesFrom: ['id1:rw'],
    });
  });

  it('gets the open files it asks for, else what tasks get', () => {
    const openFiles = { soft: 65_535, hard: 65_535 };
    const limit = (soft: number, hard: number) => [{ Name: 'nofile', Soft: soft, Hard: hard }];
    expect(hostConfig({ openFiles: { soft: 1, hard: 2 } }, { openFiles })).toMatchObject({ Ulimits: limit(1, 2) });
    expect(hostConfig({}, { openFiles })).toMatchObject({ Ulimits: limit(65_535, 65_535) });
    expect(hostConfig({})).toMatchObject({ Ulimits: [] });
  });
});
