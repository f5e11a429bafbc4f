import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type EmbeddedKubernetes, startEmbeddedKubernetes } from '../../infra/local/kubernetes/server.ts';
import { KubernetesClient } from '../../src/adapters/kubernetes/kubernetes-client.ts';
import { leasePath, nodePath } from '../../src/adapters/kubernetes/paths.ts';
import { SystemClock } from '../../src/adapters/system/system-clock.ts';
import { runNode } from '../../src/cli/run/run-node.ts';
import { runSvk } from '../../src/cli/run-svk.ts';
import { ignoreNotFound } from '../../src/core/errors.ts';
import type { Node } from '../../src/model/kubernetes.ts';
import { waitFor } from '../support/local-cloud.ts';
import { recordedLine } from './recorded-line.ts';

export const NODE = 'n1';
export const PODS = '/api/v1/namespaces/default/pods';
const { signal } = new AbortController();

/** `svk run` in this process. */
export interface SvkRun {
  /** SIGTERM; answers the exit code. */
  stop(): Promise<number>;
  readonly ended: Promise<number>;
  log(): string;
}

/** An embedded API server, and `svk run` as its one node. */
export class SvkRunWorld {
  readonly folder: string;
  readonly api: EmbeddedKubernetes;
  readonly client: KubernetesClient;
  readonly #running = new Set<SvkRun>();

  private constructor(folder: string, api: EmbeddedKubernetes) {
    this.folder = folder;
    this.api = api;
    this.client = new KubernetesClient(
      { server: api.url, certificateAuthority: api.certificateAuthority, token: api.token },
      { clock: new SystemClock() },
    );
  }

  static async create(): Promise<SvkRunWorld> {
    const folder = await mkdtemp(path.join(tmpdir(), 'svk-run-'));
    return new SvkRunWorld(folder, await startEmbeddedKubernetes({ directory: folder }));
  }

  run(args: readonly string[], environment: Readonly<Record<string, string>> = {}): SvkRun {
    const ending = new AbortController();
    const own = { KUBECONFIG: this.api.kubeconfigPath, DEFAULT_NODE_NAME: NODE, VKUBELET_POD_IP: '127.0.0.1' };
    const line = recordedLine(this.folder, { ...own, ...environment });
    const defaults = [
      '--provider',
      'mock',
      '--listen',
      '127.0.0.1:0',
      '--metrics-addr',
      '',
      '--serving-certificate',
      'self-signed',
    ];
    const ended = runSvk(['run', ...defaults, ...args], line, runNode({ ...line, signal: ending.signal }));
    const one: SvkRun = {
      ended,
      log: line.log,
      stop: () => {
        ending.abort();
        return ended;
      },
    };
    this.#running.add(one);
    return one;
  }

  readNode(): Promise<Node | undefined> {
    return ignoreNotFound(this.client.get<Node>(nodePath(NODE), { signal }));
  }

  /** Waits for the node of a process. @throws {Error} with its log where it ends before. */
  async ready(svk: SvkRun): Promise<Node> {
    const early = svk.ended.then((code) => Promise.reject(new Error(`it ended with ${code}: ${svk.log()}`)));
    await Promise.race([waitFor(() => svk.log().includes('msg=ready'), { withinMs: 20_000, what: 'the node' }), early]);
    const node = await this.readNode();
    if (!node) throw new Error('there is no node');
    return node;
  }

  /** Ends every process, and leaves nothing of them at the API server. */
  async clear(): Promise<void> {
    for (const one of this.#running) await one.stop();
    this.#running.clear();
    await this.client.delete(PODS, { signal, gracePeriodSeconds: 0 }).catch(() => undefined);
    await ignoreNotFound(this.client.delete(nodePath(NODE), { signal }));
    // Nobody collects garbage here: the next node may be another deployment's.
    await ignoreNotFound(this.client.delete(leasePath(NODE), { signal }));
  }

  async close(): Promise<void> {
    this.client.close();
    await this.api.close();
    await rm(this.folder, { recursive: true, force: true });
  }
}
