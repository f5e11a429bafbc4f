import { describe, expect, it } from 'vitest';
import type { WorkloadStats } from '../../../src/model/workload-stats.ts';
import { bodyOf, KubeletWorld } from './kubelet-world.ts';

const TEXT = 'text/plain; version=0.0.4; charset=utf-8';

describe('figures of a node', () => {
  it('shows those of its process', async () => {
    const world = new KubeletWorld({ processMetrics: async () => 'svk_sessions 1\n' });
    const response = await world.get('/metrics');
    expect([response.status, response.headers['content-type'], response.body]).toEqual([200, TEXT, 'svk_sessions 1\n']);
  });

  it('A-11 is a valid text where there are none', async () => {
    const world = new KubeletWorld();
    expect(await bodyOf(await world.get('/metrics'))).toBe(
      '# HELP process_start_time_seconds Start time of the process since unix epoch in seconds.\n' +
        '# TYPE process_start_time_seconds gauge\nprocess_start_time_seconds 1893456000\n',
    );
    for (const path of ['/metrics/cadvisor', '/metrics/probes']) {
      const response = await world.get(path);
      expect([response.status, response.headers['content-type'], response.body], path).toEqual([200, TEXT, '']);
    }
  });

  it('A-11 shows what containers use under the names of cAdvisor', async () => {
    const world = new KubeletWorld();
    const podUid = world.addPod('web');
    const workloadId = await world.run(podUid);
    const at = world.clock.now();
    const app = { name: 'app', startedAt: at, at, cpu: { usageCoreNanoSeconds: 2e9 }, memory: { workingSetBytes: 64 } };
    const stats: WorkloadStats[] = [{ workloadId, podUid, startedAt: at, containers: [app] }];
    Object.assign(world.provider, { stats: async () => stats });
    expect(await bodyOf(await world.get('/metrics/cadvisor'))).toContain(
      `container_cpu_usage_seconds_total{container="app",pod="web",namespace="default"} 2 ${at}\n`,
    );
  });
});

it('A-11 answers /configz in the shape of a kubelet', async () => {
  const world = new KubeletWorld({
    configuration: {
      anonymous: false,
      statusUpdateMs: 60_000,
      streamIdleTimeoutMs: 14_400_000,
      maxPods: 20,
      address: '192.0.2.7',
      port: 10_250,
    },
  });
  const response = await world.get('/configz');
  expect([response.status, response.headers['content-type']]).toEqual([200, 'application/json']);
  expect(JSON.parse(await bodyOf(response))).toMatchObject({
    kubeletconfig: {
      address: '192.0.2.7',
      port: 10_250,
      maxPods: 20,
      nodeStatusUpdateFrequency: '1m0s',
      streamingConnectionIdleTimeout: '4h0m0s',
      authentication: { anonymous: { enabled: false }, webhook: { enabled: true } },
      authorization: { mode: 'Webhook' },
    },
  });
});
