import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { localDelays } from '../../infra/local/aws/delays.ts';
import { ProcessRuntime } from '../../infra/local/runtimes/process/process-runtime.ts';
import type { Child } from '../support/child.ts';
import { type ControlPlane, startControlPlane } from '../support/control-plane.ts';
import { hasKubectl } from '../support/kubectl.ts';
import { waitFor } from '../support/local-cloud.ts';
import { startMetricsServer } from '../support/metrics-server.ts';
import { type SvkRun, startSvkRun } from '../support/svk-run.ts';
import { findUpstreamTool } from '../support/upstream-tools.ts';
import { startTasks, type Tasks } from '../upstream-e2e/tasks.ts';

const metricsServer = await findUpstreamTool('metrics-server');
const patience = { withinMs: 240_000 };

/** A Deployment on one node, whose pods ask for a hundredth of a core, and what scales it by its CPU. */
const scaled = (name: string, node: string, command: readonly string[]): readonly unknown[] => [
  {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name },
    spec: {
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name } },
        spec: {
          nodeSelector: { 'kubernetes.io/hostname': node },
          tolerations: [{ operator: 'Exists' }],
          terminationGracePeriodSeconds: 2,
          containers: [{ name: 'main', image: 'none', command, resources: { requests: { cpu: '10m' } } }],
        },
      },
    },
  },
  {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: { name },
    spec: {
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name },
      minReplicas: 1,
      maxReplicas: 2,
      metrics: [
        { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } } },
      ],
    },
  },
];

/** Some tenths of a core, whatever the machine: it counts for about a tenth of a second, then sleeps for two. */
const busy = ['sh', '-c', 'while :; do i=0; while [ $i -lt 50000 ]; do i=$((i + 1)); done; sleep 0.2; done'];

describe.skipIf(metricsServer === undefined || !hasKubectl())('figures through the real metrics-server', () => {
  let plane: ControlPlane;
  let tasks: Tasks;
  const running: (SvkRun | Child)[] = [];

  const kubectl = async (...args: readonly string[]): Promise<string> =>
    (await promisify(execFile)('kubectl', ['--kubeconfig', plane.kubeconfig, ...args])).stdout;

  /** Rows of `kubectl top … --no-headers`; none as long as there are no figures. */
  const top = async (what: string): Promise<readonly (readonly string[])[]> => {
    const text = await kubectl('top', what, '--no-headers').catch(() => '');
    return text.split('\n').flatMap((line) => (line.trim() === '' ? [] : [line.trim().split(/\s+/)]));
  };

  /** `12m` of the busiest pod or node whose name begins so; undefined while it is unknown. */
  const figures = async (
    what: string,
    prefix: string,
  ): Promise<{ readonly millicores: number; readonly mebibytes: number } | undefined> => {
    const rows = (await top(what)).filter(([name]) => name?.startsWith(prefix));
    const [row] = rows.sort(([, a = ''], [, b = '']) => Number.parseInt(b, 10) - Number.parseInt(a, 10));
    const memory = row?.find((cell) => cell.endsWith('Mi'));
    return row && memory !== undefined
      ? { millicores: Number.parseInt(row[1] ?? '', 10), mebibytes: Number.parseInt(memory, 10) }
      : undefined;
  };

  const replicas = async (name: string): Promise<string> =>
    (await kubectl('get', 'deployment', name, '-o', 'jsonpath={.spec.replicas}')).trim();

  beforeAll(async () => {
    plane = await startControlPlane();
    tasks = await startTasks('fargate', {
      runtime: new ProcessRuntime(),
      delays: localDelays,
      throttles: 'off',
      insightsPeriodMs: 15_000,
    });
    running.push(
      await startSvkRun(plane, { node: 'mock', provider: 'mock', config: {} }),
      await startSvkRun(plane, {
        node: 'fargate',
        provider: 'fargate',
        config: tasks.settings,
        environment: tasks.environment,
      }),
    );
    running.push(await startMetricsServer(metricsServer ?? '', plane));
    const [idle] = scaled('idle', 'fargate', ['sleep', '600']);
    const items = [...scaled('invented', 'mock', busy), ...scaled('busy', 'fargate', busy), idle];
    const manifest = path.join(plane.folder, 'metrics.json');
    await writeFile(manifest, JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
    await kubectl('apply', '-f', manifest);
  });

  afterAll(async () => {
    await Promise.all(running.map((child) => child.stop()));
    await tasks.close();
    await plane.remove();
  });

  it('of mock: kubectl top, and an autoscaler that acts on them', async () => {
    await waitFor(async () => (await figures('pods', 'invented-')) !== undefined, { ...patience, what: 'top pods' });
    const pod = await figures('pods', 'invented-');
    expect(pod?.millicores).toBeGreaterThan(0);
    expect(pod?.mebibytes).toBeGreaterThan(10);
    await waitFor(async () => (await figures('nodes', 'mock')) !== undefined, { ...patience, what: 'top nodes' });
    await waitFor(async () => (await replicas('invented')) === '2', { ...patience, what: 'the second replica' });
  });

  it('of fargate: real ones, which tell busy pods from idle ones', async () => {
    const known = async (): Promise<boolean> =>
      (await figures('pods', 'busy-')) !== undefined && (await figures('pods', 'idle-')) !== undefined;
    await waitFor(known, { ...patience, what: 'top pods' });
    const load = await figures('pods', 'busy-');
    const idle = await figures('pods', 'idle-');
    expect(load?.millicores).toBeGreaterThan(20);
    expect(idle?.millicores).toBeLessThanOrEqual(5);
    expect(idle?.mebibytes).toBeGreaterThanOrEqual(1);
    expect(idle?.mebibytes).toBeLessThan(50);
    await waitFor(async () => (await figures('nodes', 'fargate')) !== undefined, { ...patience, what: 'top nodes' });
    const node = await figures('nodes', 'fargate');
    expect(node?.mebibytes).toBeGreaterThanOrEqual(2);
    await waitFor(async () => (await replicas('busy')) === '2', { ...patience, what: 'the second replica' });
  });
});
