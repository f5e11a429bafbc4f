import { Gate } from '../../../src/kubelet/gate.ts';
import type { KubeletHandler, KubeletRequest, KubeletResponse } from '../../../src/kubelet/http.ts';
import {
  createKubeletApi,
  createUpgradingKubeletApi,
  type KubeletApiOptions,
} from '../../../src/kubelet/kubelet-api.ts';
import { readQuery } from '../../../src/kubelet/query.ts';
import type { UpgradeHandler } from '../../../src/kubelet/upgrade.ts';
import type { Pod } from '../../../src/model/kubernetes.ts';
import type { Provider } from '../../../src/ports/provider.ts';
import { FakeClock } from '../../fakes/clock.ts';
import { FakeKubernetes } from '../../fakes/kubernetes/fake-kubernetes.ts';
import { FakeProvider } from '../../fakes/provider/fake-provider.ts';
import { FakePodStore } from '../../fakes/stores/fake-pod-store.ts';
import { RecordingLogger } from '../../support/recording-logger.ts';

/** The kubelet API of node `vk-a` on fakes. Everybody with an identity may do everything, unless a test says otherwise. */
export class KubeletWorld {
  readonly clock = new FakeClock('2030-01-01T00:00:00Z');
  readonly kubernetes = new FakeKubernetes({ clock: this.clock });
  readonly podStore = new FakePodStore();
  readonly provider = new FakeProvider(this.clock);
  readonly logger = new RecordingLogger();
  readonly api: KubeletHandler;
  /** The same where connections can be upgraded. */
  readonly upgrading: UpgradeHandler;

  constructor({
    insecureAllowAnonymous = false,
    ...options
  }: { readonly insecureAllowAnonymous?: boolean } & Partial<
    Pick<KubeletApiOptions, 'healthChecks' | 'processMetrics' | 'configuration'>
  > = {}) {
    const { clock, kubernetes, podStore, provider, logger } = this;
    kubernetes.allowAccess(() => true);
    const all: KubeletApiOptions = {
      node: 'vk-a',
      gate: new Gate({ access: kubernetes.access, clock, logger, insecureAllowAnonymous }),
      pods: kubernetes.pods,
      podStore,
      provider,
      clock,
      logger,
      configuration: { anonymous: insecureAllowAnonymous, statusUpdateMs: 60_000 },
      ...options,
    };
    this.api = createKubeletApi(all);
    this.upgrading = createUpgradingKubeletApi(all);
  }

  /** Gives the provider abilities it does not have by itself. */
  teach(abilities: Pick<Provider, 'exec' | 'attach' | 'connect' | 'openSession'>): void {
    Object.assign(this.provider, abilities);
  }

  /** A pod with container `app`, bound to `vk-a`, with a row. */
  addPod(
    name: string,
    { node = 'vk-a', status }: { readonly node?: string; readonly status?: Pod['status'] } = {},
  ): string {
    const pod = this.kubernetes.addPod({
      metadata: { name },
      spec: { nodeName: node, containers: [{ name: 'app', image: 'busybox' }] },
      ...(status === undefined ? {} : { status }),
    });
    const uid = pod.metadata?.uid ?? '';
    this.podStore.seed({
      pod: { namespace: 'default', name, uid },
      node,
      wanted: 1,
      seen: 1,
      observations: {},
      state: { attempts: [], restarts: {} },
    });
    return uid;
  }

  /** Launches the next attempt of a pod, running, and remembers it in the row; answers the workload's id. */
  async run(uid: string, attempt = 1): Promise<string> {
    const prepared = { podUid: uid, containers: [{ name: 'app', image: 'busybox' }] };
    const request = await this.provider.provision(prepared, { podUid: uid, attempt, try: 1 });
    const result = await this.provider.launch(request);
    if (result.kind !== 'started') throw new Error(`not started: ${result.kind}`);
    this.provider.run(result.workload.id);
    await this.remember(uid, attempt, result.workload.id);
    return result.workload.id;
  }

  /** Copies what the provider says into the row, as the controller does. */
  async remember(uid: string, attempt: number, workloadId: string): Promise<void> {
    const row = await this.podStore.get(uid);
    if (row === undefined) throw new Error(`no row of pod ${uid}`);
    const others = row.state.attempts.filter((known) => known.attempt !== attempt);
    this.podStore.seed({
      ...row,
      observations: { ...row.observations, [workloadId]: this.provider.get(workloadId) },
      state: { ...row.state, attempts: [...others, { attempt, try: 1, workloadId }] },
    });
  }

  /** A request with the API server's certificate. */
  get(url: string, overrides: Partial<KubeletRequest> = {}): Promise<KubeletResponse> {
    return this.api(requestOf('GET', url, { clientCertificate: API_SERVER, ...overrides }));
  }
}

export const API_SERVER = {
  subject: { commonName: 'kube-apiserver-kubelet-client', organizations: ['system:masters'] },
} as const;

export const requestOf = (method: string, url: string, overrides: Partial<KubeletRequest> = {}): KubeletRequest => {
  const [path = '/', search = ''] = url.split('?', 2);
  return {
    method,
    path,
    ...readQuery(search),
    headers: {},
    signal: new AbortController().signal,
    ...overrides,
  };
};

/** The whole body as text. */
export const bodyOf = async ({ body }: KubeletResponse): Promise<string> => {
  if (typeof body === 'string') return body;
  if (body instanceof Uint8Array) return Buffer.from(body).toString('utf8');
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
};
