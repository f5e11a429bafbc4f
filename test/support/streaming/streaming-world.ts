import { setTimeout as delay } from 'node:timers/promises';
import { credentialsFromKubeconfig } from '../../../src/adapters/kubernetes/credentials-from-kubeconfig.ts';
import { KubernetesClient } from '../../../src/adapters/kubernetes/kubernetes-client.ts';
import { corePath, nodePath } from '../../../src/adapters/kubernetes/paths.ts';
import { SystemClock } from '../../../src/adapters/system/system-clock.ts';
import { ignoreNotFound } from '../../../src/core/errors.ts';
import type { Container, Node, Pod, PodSpec } from '../../../src/model/kubernetes.ts';
import { type ControlPlane, type ControlPlaneOptions, startControlPlane } from '../control-plane.ts';
import { type KubectlAnswer, type KubectlOptions, runKubectl } from '../kubectl-process.ts';
import { SessionLog } from '../session-log.ts';
import { type SvkRun, type SvkRunOptions, startSvkRun } from '../svk-run.ts';

const { signal } = new AbortController();

/** Long: the machine may be busy with other tests. */
const WITHIN_MS = 120_000;

/** A node whose pods run on this machine, and what its process says of sessions. */
export interface StreamingNode {
  readonly name: string;
  readonly sessions: SessionLog;
  readonly svk: SvkRun;
}

/** A real API server, nodes of `svk run` behind it, and kubectl before it. */
export class StreamingWorld {
  readonly plane: ControlPlane;
  readonly client: KubernetesClient;
  readonly #processes: SvkRun[] = [];

  private constructor(plane: ControlPlane, client: KubernetesClient) {
    this.plane = plane;
    this.client = client;
  }

  static async start(options: ControlPlaneOptions = {}): Promise<StreamingWorld> {
    const plane = await startControlPlane(options);
    const credentials = await credentialsFromKubeconfig(plane.kubeconfig);
    return new StreamingWorld(plane, new KubernetesClient(credentials, { clock: new SystemClock() }));
  }

  /** A node of the mock whose pods run on this machine, Ready. */
  addNode(name: string, flags: Readonly<Record<string, string>> = {}): Promise<StreamingNode> {
    return this.addNodeOf('mock', name, { config: { [name]: { runLocally: true, pods: '100' } }, flags });
  }

  async addNodeOf(
    provider: string,
    name: string,
    { config, flags = {}, environment = {} }: Pick<SvkRunOptions, 'config' | 'flags' | 'environment'>,
  ): Promise<StreamingNode> {
    const svk = await startSvkRun(this.plane, {
      node: name,
      provider,
      config,
      flags: { 'log-format': 'json', ...flags },
      environment,
    });
    this.#processes.push(svk);
    await this.until(`node ${name} is Ready`, async () => {
      const node = await ignoreNotFound(this.client.get<Node>(nodePath(name), { signal }));
      return node?.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True');
    });
    return { name, svk, sessions: new SessionLog(svk.log) };
  }

  node(name: string): Promise<Node> {
    return this.client.get<Node>(nodePath(name), { signal });
  }

  /** A pod that runs, with one container `app`. */
  async addPod(
    node: StreamingNode,
    name: string,
    container: Partial<Container> = {},
    spec: Partial<PodSpec> = {},
  ): Promise<void> {
    const containers = [{ name: 'app', image: 'none', ...container }];
    await this.client.create(
      corePath('default', 'pods'),
      { metadata: { name }, spec: { ...spec, nodeName: node.name, containers } },
      { signal },
    );
    await this.until(`pod ${name} has started`, async () => {
      const { status } = await this.client.get<Pod>(corePath('default', 'pods', name), { signal });
      return status?.containerStatuses?.every(({ state, lastState }) => !state?.waiting || lastState?.terminated);
    });
  }

  kubectl(
    args: readonly string[],
    options: Omit<KubectlOptions, 'kubeconfig'> & { readonly input?: Uint8Array | string } = {},
  ): Promise<KubectlAnswer> {
    return runKubectl(args, { ...options, kubeconfig: this.plane.kubeconfig });
  }

  async until(what: string, isSo: () => Promise<boolean | undefined> | boolean): Promise<void> {
    for (const end = Date.now() + WITHIN_MS; Date.now() < end; await delay(50)) if (await isSo()) return;
    throw new Error(`${what}: not within ${WITHIN_MS / 1_000} s; see the logs in ${this.plane.folder}`);
  }

  async stop(): Promise<void> {
    await Promise.all(this.#processes.map((svk) => svk.stop()));
    this.client.close();
    await this.plane.remove();
  }
}
