import { describe, expect, it } from 'vitest';
import { TransientError } from '../../../src/core/errors.ts';
import type { WorkloadStats } from '../../../src/model/workload-stats.ts';
import { bodyOf, KubeletWorld } from './kubelet-world.ts';

const AT = Date.parse('2030-01-01T00:10:00.250Z');
const STARTED = Date.parse('2030-01-01T00:00:00Z');

const containerOf = (name: string, cpuSeconds: number, memory: number) => ({
  name,
  startedAt: STARTED,
  at: AT,
  cpu: { usageCoreNanoSeconds: cpuSeconds * 1e9, usageNanoCores: 5_000_000 },
  memory: { workingSetBytes: memory },
});

/** Pods `web` (two containers) and `idle` of this node, `other` of another one, and a stranger nobody knows. */
const worldWithFigures = () => {
  const world = new KubeletWorld();
  const [web, idle, other] = [world.addPod('web'), world.addPod('idle'), world.addPod('other', { node: 'vk-b' })];
  const workload = (podUid: string, ...containers: WorkloadStats['containers']): WorkloadStats => ({
    workloadId: `w-${podUid}`,
    podUid,
    startedAt: STARTED,
    containers,
  });
  const figures: WorkloadStats[] = [
    workload(web, containerOf('app', 1.5, 1024), containerOf('log', 0.25, 2048)),
    workload(idle, containerOf('app', 0, 0)),
    workload(other, containerOf('app', 9, 9)),
    workload('nobody', containerOf('app', 9, 9)),
  ];
  Object.assign(world.provider, { stats: async () => figures });
  return { world, web, idle, figures };
};

describe('GET /metrics/resource', () => {
  it('has the figures of this node in kubelet’s names, with the time they were taken', async () => {
    const { world } = worldWithFigures();
    const response = await world.get('/metrics/resource');
    expect(response.headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect((await bodyOf(response)).split('\n')).toEqual([
      '# HELP container_cpu_usage_seconds_total Cumulative cpu time consumed by the container in core-seconds',
      '# TYPE container_cpu_usage_seconds_total counter',
      'container_cpu_usage_seconds_total{container="app",pod="idle",namespace="default"} 1e-9 1893456600250',
      'container_cpu_usage_seconds_total{container="app",pod="web",namespace="default"} 1.5 1893456600250',
      'container_cpu_usage_seconds_total{container="log",pod="web",namespace="default"} 0.25 1893456600250',
      '# HELP container_memory_working_set_bytes Current working set of the container in bytes',
      '# TYPE container_memory_working_set_bytes gauge',
      'container_memory_working_set_bytes{container="app",pod="idle",namespace="default"} 1 1893456600250',
      'container_memory_working_set_bytes{container="app",pod="web",namespace="default"} 1024 1893456600250',
      'container_memory_working_set_bytes{container="log",pod="web",namespace="default"} 2048 1893456600250',
      '# HELP container_start_time_seconds Start time of the container since unix epoch in seconds',
      '# TYPE container_start_time_seconds gauge',
      'container_start_time_seconds{container="app",pod="idle",namespace="default"} 1893456000',
      'container_start_time_seconds{container="app",pod="web",namespace="default"} 1893456000',
      'container_start_time_seconds{container="log",pod="web",namespace="default"} 1893456000',
      '# HELP node_cpu_usage_seconds_total Cumulative cpu time consumed by the node in core-seconds',
      '# TYPE node_cpu_usage_seconds_total counter',
      'node_cpu_usage_seconds_total 1.75 1893456600250',
      '# HELP node_memory_working_set_bytes Current working set of the node in bytes',
      '# TYPE node_memory_working_set_bytes gauge',
      'node_memory_working_set_bytes 3072 1893456600250',
      '# HELP pod_cpu_usage_seconds_total Cumulative cpu time consumed by the pod in core-seconds',
      '# TYPE pod_cpu_usage_seconds_total counter',
      'pod_cpu_usage_seconds_total{namespace="default",pod="idle"} 1e-9 1893456600250',
      'pod_cpu_usage_seconds_total{namespace="default",pod="web"} 1.75 1893456600250',
      '# HELP pod_memory_working_set_bytes Current working set of the pod in bytes',
      '# TYPE pod_memory_working_set_bytes gauge',
      'pod_memory_working_set_bytes{namespace="default",pod="idle"} 1 1893456600250',
      'pod_memory_working_set_bytes{namespace="default",pod="web"} 3072 1893456600250',
      '',
    ]);
  });

  it('has a node whose CPU time never falls, whatever becomes of its pods', async () => {
    const { world, web, figures } = worldWithFigures();
    const nodeSeconds = async () =>
      (await bodyOf(await world.get('/metrics/resource'))).match(/^node_cpu_usage_seconds_total (\S+)/m)?.[1];
    expect(await nodeSeconds()).toBe('1.75');
    const [first] = figures.splice(0, 1);
    expect(await nodeSeconds()).toBe('1.75');
    figures.push({
      ...first,
      workloadId: 'the next attempt',
      podUid: web,
      startedAt: AT,
      containers: [containerOf('app', 2, 1)],
    });
    expect(await nodeSeconds()).toBe('3.75');
  });

  it('has a node that uses next to nothing where there is no pod', async () => {
    const { world, figures } = worldWithFigures();
    figures.length = 0;
    const body = await bodyOf(await world.get('/metrics/resource'));
    expect(body.split('\n').filter((line) => !line.startsWith('#'))).toEqual([
      'node_cpu_usage_seconds_total 1e-9',
      'node_memory_working_set_bytes 1',
      '',
    ]);
  });

  it('leaves out the sums of a pod of which one container is not known', async () => {
    const { world, web, figures } = worldWithFigures();
    const { memory: _memory, ...app } = containerOf('app', 1, 1);
    figures.splice(0, 4, {
      workloadId: 'w',
      podUid: web,
      startedAt: STARTED,
      containers: [app, containerOf('log', 1, 1)],
    });
    const body = await bodyOf(await world.get('/metrics/resource'));
    expect(body).toContain('pod_cpu_usage_seconds_total{namespace="default",pod="web"} 2 ');
    expect(body).not.toContain('pod_memory_working_set_bytes');
    expect(body).toContain('container_memory_working_set_bytes{container="log",');
  });
});

describe('GET /stats/summary', () => {
  it('has the same figures as a Summary', async () => {
    const { world, web, idle } = worldWithFigures();
    const time = '2030-01-01T00:10:00Z';
    const startTime = '2030-01-01T00:00:00Z';
    const cpu = (seconds: number, containers: number) => ({
      time,
      usageNanoCores: containers * 5_000_000,
      usageCoreNanoSeconds: seconds * 1e9,
    });
    expect(JSON.parse(await bodyOf(await world.get('/stats/summary')))).toEqual({
      node: { nodeName: 'vk-a', startTime, cpu: cpu(1.75, 3), memory: { time, workingSetBytes: 3072 } },
      pods: [
        {
          podRef: { name: 'idle', namespace: 'default', uid: idle },
          startTime,
          containers: [{ name: 'app', startTime, cpu: cpu(0, 1), memory: { time, workingSetBytes: 0 } }],
          cpu: cpu(0, 1),
          memory: { time, workingSetBytes: 0 },
        },
        {
          podRef: { name: 'web', namespace: 'default', uid: web },
          startTime,
          containers: [
            { name: 'app', startTime, cpu: cpu(1.5, 1), memory: { time, workingSetBytes: 1024 } },
            { name: 'log', startTime, cpu: cpu(0.25, 1), memory: { time, workingSetBytes: 2048 } },
          ],
          cpu: cpu(1.75, 2),
          memory: { time, workingSetBytes: 3072 },
        },
      ],
    });
  });

  it('of no pods has a node', async () => {
    const { world, figures } = worldWithFigures();
    figures.length = 0;
    expect(JSON.parse(await bodyOf(await world.get('/stats/summary')))).toEqual({
      node: { nodeName: 'vk-a', startTime: '2030-01-01T00:00:00Z' },
      pods: [],
    });
  });
});

describe.each(['/stats/summary', '/metrics/resource'])('%s', (path) => {
  it('is not found where the provider has no figures', async () => {
    const world = new KubeletWorld();
    const response = await world.get(path);
    expect(response.status).toBe(404);
    expect(response.body).toBe('the provider of this node has no figures of what its pods use');
    expect(world.logger.lines).toEqual([]);
  });

  it('says what failed where the figures cannot be read', async () => {
    const world = new KubeletWorld();
    Object.assign(world.provider, {
      stats: async () => {
        throw new TransientError('the service is away');
      },
    });
    const response = await world.get(path);
    expect(response).toMatchObject({ status: 500, body: 'the service is away' });
  });

  it('takes GET only', async () => {
    const response = await new KubeletWorld().get(path, { method: 'POST' });
    expect(response).toMatchObject({ status: 405, headers: { allow: 'GET' } });
  });
});
