import { DescribeTasksCommand, ECSClient, ListTasksCommand, type Task } from '@aws-sdk/client-ecs';
import { credentialsFromKubeconfig } from '../../src/adapters/kubernetes/credentials-from-kubeconfig.ts';
import { KubernetesClient } from '../../src/adapters/kubernetes/kubernetes-client.ts';
import { SystemClock } from '../../src/adapters/system/system-clock.ts';
import type { Pod } from '../../src/model/kubernetes.ts';
import { buildBundles, type RunningCloud, startLocalCloud, waitFor } from '../support/local-cloud.ts';
import type { BenchOptions } from './measurement.ts';
import { fromSamples, type Measurement } from './measurement.ts';
import { millisecondsToRunning, startContest } from './mock-and-peer.ts';

const PODS = '/api/v1/namespaces/default/pods';
const WARM_UP = 3;
const PAUSE_MS = 500;

/**
 * From a pod's binding, sent, to RunTask accepted by ECS (the task's `createdAt`), one pod after another on the local cloud
 * as `npm start` runs it: webhook, queue, worker. Cold starts of the functions are kept out by pods that don't count.
 */
async function* lambda({ pods }: BenchOptions): AsyncIterable<Measurement> {
  await buildBundles();
  const cloud = await startLocalCloud(['--runtime', 'simulated']);
  const client = new KubernetesClient(await credentialsFromKubeconfig(cloud.kubeconfig), { clock: new SystemClock() });
  try {
    const samples: number[] = [];
    for (let index = 0; index < pods + WARM_UP; index += 1) {
      const { uid, sentAt } = await bind(client, `pod-${index}`);
      let task: Task | undefined;
      await waitFor(async () => (task = await taskOf(cloud, uid)) !== undefined, { what: `the task of pod-${index}` });
      if (index >= WARM_UP) samples.push((task?.createdAt?.getTime() ?? Number.NaN) - sentAt);
      await client.delete(`${PODS}/pod-${index}`, { signal: within(), gracePeriodSeconds: 0 });
    }
    yield fromSamples({ bench: 'latency', metric: 'bind_to_runtask_ms', unit: 'ms', subject: 'lambda' }, samples);
  } finally {
    client.close();
    await cloud.stop();
  }
}

/** From a pod's creation, sent, to Running on a watch, on `svk run` and on virtual-kubelet, both with their instant mock. */
async function* mockAndPeer({ pods }: BenchOptions): AsyncIterable<Measurement> {
  const contest = await startContest();
  try {
    const samples = new Map(contest.subjects.map(({ name }) => [name, [] as number[]]));
    for (let index = -WARM_UP; index < pods; index += 1) {
      for (const { name, node } of contest.subjects) {
        const ms = await millisecondsToRunning(contest.client, node, `${node}-${index + WARM_UP}`);
        if (index >= 0) samples.get(name)?.push(ms);
      }
      // virtual-kubelet allows itself five requests a second: without a pause its own limit would be measured.
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
    for (const [subject, own] of samples)
      yield fromSamples({ bench: 'latency', metric: 'create_to_running_ms', unit: 'ms', subject }, own);
  } finally {
    await contest.close();
  }
}

/** Every subject: the functions on the local cloud, `svk run` and its peer on a real control plane. */
export async function* run(options: BenchOptions): AsyncIterable<Measurement> {
  yield* lambda(options);
  yield* mockAndPeer(options);
}

/** Makes a pod that no scheduler looks at, and binds it. Answers its UID, and when the binding was sent. */
const bind = async (
  client: KubernetesClient,
  name: string,
): Promise<{ readonly uid: string; readonly sentAt: number }> => {
  const spec = { schedulerName: 'nobody', containers: [{ name: 'main', image: 'bench' }] };
  const pod = await client.create<Pod>(
    PODS,
    { apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec },
    { signal: within() },
  );
  const uid = pod.metadata?.uid ?? '';
  const sentAt = Date.now();
  const binding = {
    apiVersion: 'v1',
    kind: 'Binding',
    metadata: { name, uid },
    target: { kind: 'Node', name: 'fargate' },
  };
  await client.create(`${PODS}/${name}/binding`, binding, { signal: within() });
  return { uid, sentAt };
};

const within = (): AbortSignal => AbortSignal.timeout(10_000);

/** The live task of a pod, or one that has stopped already. */
const taskOf = async (cloud: RunningCloud, uid: string): Promise<Task | undefined> => {
  const ecs = new ECSClient({
    endpoint: `http://127.0.0.1:${cloud.ports.aws}`,
    region: 'eu-west-1',
    credentials: cloud.credentials,
  });
  try {
    for (const desiredStatus of ['RUNNING', 'STOPPED'] as const) {
      const { taskArns = [] } = await ecs.send(new ListTasksCommand({ cluster: 'svk-dev', desiredStatus }));
      for (let at = 0; at < taskArns.length; at += 100) {
        const page = taskArns.slice(at, at + 100);
        const { tasks = [] } = await ecs.send(new DescribeTasksCommand({ cluster: 'svk-dev', tasks: page }));
        const found = tasks.find(({ startedBy }) => startedBy?.endsWith(uid));
        if (found) return found;
      }
    }
    return undefined;
  } finally {
    ecs.destroy();
  }
};
