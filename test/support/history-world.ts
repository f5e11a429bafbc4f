import { setTimeout as delay } from 'node:timers/promises';
import type { Task } from '@aws-sdk/client-ecs';
import { credentialsFromKubeconfig } from '../../src/adapters/kubernetes/credentials-from-kubeconfig.ts';
import { KubernetesClient } from '../../src/adapters/kubernetes/kubernetes-client.ts';
import { corePath, nodePath } from '../../src/adapters/kubernetes/paths.ts';
import { SystemClock } from '../../src/adapters/system/system-clock.ts';
import type { Node, Pod, PodSpec } from '../../src/model/kubernetes.ts';
import { type ControlPlane, startControlPlane } from './control-plane.ts';
import { createKillableSvk, type KillableSvk } from './killable-svk.ts';

export const { signal } = new AbortController();

/**
 * A real control plane with its controllers, and `svk run --provider fargate` on emulators whose containers do what the
 * variable SVK_SIMULATE says.
 */
export class HistoryWorld {
  readonly plane: ControlPlane;
  readonly client: KubernetesClient;
  readonly svk: KillableSvk;
  readonly node: string;

  static async start(node: string): Promise<HistoryWorld> {
    const plane = await startControlPlane();
    const credentials = await credentialsFromKubeconfig(plane.kubeconfig);
    const client = new KubernetesClient(credentials, { clock: new SystemClock(), deadlineMs: 60_000 });
    const world = new HistoryWorld(plane, client, await createKillableSvk(plane.kubeconfig, node), node);
    await world.svk.start();
    await until('the node is Ready', 60_000, async () => {
      const found = await client.get<Node>(nodePath(node), { signal }).catch(() => undefined);
      return found?.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True');
    });
    return world;
  }

  private constructor(plane: ControlPlane, client: KubernetesClient, svk: KillableSvk, node: string) {
    this.plane = plane;
    this.client = client;
    this.svk = svk;
    this.node = node;
  }

  async close(): Promise<void> {
    await this.svk.close();
    this.client.close();
    await this.plane.remove();
  }

  /** A namespace of one history alone. */
  async namespace(name: string): Promise<string> {
    await this.client.create('/api/v1/namespaces', { metadata: { name } }, { signal });
    await until(`namespace ${name} has its ServiceAccount`, 30_000, () =>
      this.client.get(corePath(name, 'serviceaccounts', 'default'), { signal }).catch(() => undefined),
    );
    return name;
  }

  /** The spec of pods for our node, whose one container plays `script`. */
  podSpec(script: string, spec: Partial<PodSpec> = {}): PodSpec {
    return {
      nodeSelector: { 'kubernetes.io/hostname': this.node },
      tolerations: [{ key: 'virtual-kubelet.io/provider', operator: 'Exists' }],
      terminationGracePeriodSeconds: 30,
      containers: [{ name: 'main', image: 'app:1', env: [{ name: 'SVK_SIMULATE', value: script }] }],
      ...spec,
    };
  }

  /** `group` with version: `apps/v1`, `batch/v1`, `policy/v1`. */
  create<T>(group: string, namespace: string, resource: string, body: unknown): Promise<T> {
    return this.client.create<T>(`/apis/${group}/namespaces/${namespace}/${resource}`, body, { signal });
  }

  get<T>(group: string, namespace: string, resource: string, name: string): Promise<T> {
    return this.client.get<T>(`/apis/${group}/namespaces/${namespace}/${resource}/${name}`, { signal });
  }

  async pods(namespace: string): Promise<readonly Pod[]> {
    return (await this.client.list<Pod>(corePath(namespace, 'pods'), { signal })).items;
  }

  /** Waits until so many pods are Ready and not on their way out; answers them. */
  async readyPods(namespace: string, count: number): Promise<readonly Pod[]> {
    let ready: readonly Pod[] = [];
    await until(`${count} pods of ${namespace} are Ready`, 60_000, async () => {
      ready = (await this.pods(namespace)).filter(isReady);
      return ready.length === count;
    });
    return ready;
  }

  /** The tasks of one pod, stopped ones too. */
  async tasksOf({ metadata }: Pod): Promise<readonly Task[]> {
    return (await this.svk.tasks()).filter(({ startedBy = '' }) => startedBy.endsWith(`/${metadata?.uid}`));
  }

  /** The only task of a pod. */
  async taskOf(pod: Pod): Promise<Task> {
    const [task, ...others] = await this.tasksOf(pod);
    if (!task || others.length > 0)
      throw new Error(`${pod.metadata?.name} has ${others.length + (task ? 1 : 0)} tasks`);
    return task;
  }
}

export const isReady = ({ metadata, status }: Pod): boolean =>
  metadata?.deletionTimestamp === undefined &&
  (status?.conditions?.some((condition) => condition.type === 'Ready' && condition.status === 'True') ?? false);

/** Waits until `condition` answers anything true. @throws naming `what` where it does not within `withinMs`. */
export const until = async (what: string, withinMs: number, condition: () => Promise<unknown>): Promise<void> => {
  const end = performance.now() + withinMs;
  while (!(await condition())) {
    if (performance.now() > end) throw new Error(`not within ${withinMs} ms: ${what}`);
    await delay(150);
  }
};
