import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ControlPlane, startControlPlane } from '../support/control-plane.ts';
import { liveTasksOf } from '../support/live-tasks.ts';
import { buildBundles, type RunningCloud, startLocalCloud, waitFor } from '../support/local-cloud.ts';

const STEADY_MS = 120_000;

describe('the functions on a real control plane', () => {
  let plane: ControlPlane;
  let cloud: RunningCloud;
  let folder: string;
  let joinedAt: number;
  let watching = true;
  const notReady: string[] = [];
  let watcher: Promise<void>;

  beforeAll(async () => {
    await buildBundles();
    folder = await mkdtemp(join(tmpdir(), 'svk-cluster-'));
    plane = await startControlPlane();
    cloud = await startLocalCloud(['--kubeconfig', plane.kubeconfig]);
    joinedAt = Date.now();
    watcher = watchNode();
  });

  afterAll(async () => {
    watching = false;
    await watcher;
    expect(await cloud.stop()).toBe(0);
    await plane.remove();
    await rm(folder, { recursive: true, force: true });
  });

  /** What the control plane thinks of the node, looked at every second until the end of the two minutes. */
  const watchNode = async (): Promise<void> => {
    while (watching) {
      const ready = await cloud.kubectl('get', 'node', 'fargate', '--ignore-not-found', '-o', READY);
      if (ready !== 'True') notReady.push(`${Math.round((Date.now() - joinedAt) / 1_000)} s: ${ready || 'gone'}`);
      await new Promise((resolve) => setTimeout(resolve, 1_000));
    }
  };

  it('runs a Deployment of three, gives their logs, and leaves no task after a scale to zero', async () => {
    await cloud.kubectl('apply', '-f', 'test/cluster/manifests/three.yaml');
    await cloud.kubectl('rollout', 'status', 'deployment/three', '--timeout=60s');
    const names = (
      await cloud.kubectl('get', 'pods', '-l', 'app=three', '-o', 'jsonpath={.items[*].metadata.name}')
    ).split(' ');
    expect(names).toHaveLength(3);
    for (const name of names) expect(await cloud.kubectl('logs', name)).toBe(`up as ${name}\n`);
    const addresses = await cloud.kubectl('get', 'pods', '-l', 'app=three', '-o', 'jsonpath={.items[*].status.podIP}');
    expect(new Set(addresses.split(' ')).size).toBe(3);
    expect(await liveTasksOf(cloud)).toBe(3);

    await cloud.kubectl('scale', 'deployment/three', '--replicas=0');
    await waitFor(async () => (await cloud.kubectl('get', 'pods', '-l', 'app=three', '-o', 'name')) === '', {
      what: 'the end of the pods',
    });
    await waitFor(async () => (await liveTasksOf(cloud)) === 0, { what: 'the end of the tasks' });
  });

  it('completes a Job whose first attempt fails', async () => {
    const mark = join(folder, 'second-try');
    const job = join(folder, 'job.yaml');
    await writeFile(job, jobFailingUntil(mark));
    await cloud.kubectl('apply', '-f', job);
    await cloud.kubectl('wait', '--for=condition=Complete', 'job/second-try', '--timeout=90s');
    const status = await cloud.kubectl(
      'get',
      'job',
      'second-try',
      '-o',
      'jsonpath={.status.succeeded} {.status.failed}',
    );
    expect(status).toBe('1 1');
    await cloud.kubectl('delete', 'job', 'second-try', '--timeout=60s');
  });

  it('answers the node proxy of the API server', async () => {
    expect(await cloud.kubectl('get', '--raw', '/api/v1/nodes/fargate/proxy/healthz')).toBe('ok');
    const list = JSON.parse(await cloud.kubectl('get', '--raw', '/api/v1/nodes/fargate/proxy/pods')) as {
      kind: string;
    };
    expect(list.kind).toBe('PodList');
  });

  it('stays Ready, looked at every second for two minutes', async () => {
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, joinedAt + STEADY_MS - Date.now())));
    watching = false;
    await watcher;
    expect(notReady).toEqual([]);
    const lease = JSON.parse(await cloud.kubectl('get', 'lease', '-n', 'kube-node-lease', 'fargate', '-o', 'json')) as {
      spec: { renewTime: string };
    };
    expect(Date.now() - Date.parse(lease.spec.renewTime)).toBeLessThan(20_000);
  });

  it('registers a deleted node again', async () => {
    const before = await cloud.kubectl('get', 'node', 'fargate', '-o', 'jsonpath={.metadata.uid}');
    await cloud.kubectl('delete', 'node', 'fargate', '--timeout=30s');
    await waitFor(
      async () => (await cloud.kubectl('get', 'node', 'fargate', '--ignore-not-found', '-o', READY)) === 'True',
      {
        withinMs: 90_000,
        what: 'the node',
      },
    );
    expect(await cloud.kubectl('get', 'node', 'fargate', '-o', 'jsonpath={.metadata.uid}')).not.toBe(before);
  });
});

const READY = "jsonpath={.status.conditions[?(@.type=='Ready')].status}";

const jobFailingUntil = (mark: string): string => `
apiVersion: batch/v1
kind: Job
metadata: { name: second-try }
spec:
  backoffLimit: 3
  template:
    spec:
      restartPolicy: Never
      tolerations: [{ key: virtual-kubelet.io/provider, operator: Exists }]
      containers:
        - name: main
          image: public.ecr.aws/docker/library/busybox:1.37
          command: [sh, -c, 'if [ -e ${mark} ]; then exit 0; fi; touch ${mark}; exit 1']
`;
