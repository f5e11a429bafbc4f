import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type EmbeddedKubernetes, startEmbeddedKubernetes } from '../../infra/local/kubernetes/server.ts';
import { KubernetesClient } from '../../src/adapters/kubernetes/kubernetes-client.ts';
import { nodePath } from '../../src/adapters/kubernetes/paths.ts';
import { SystemClock } from '../../src/adapters/system/system-clock.ts';
import { SystemRandom } from '../../src/adapters/system/system-random.ts';
import { openTelemetry } from '../../src/app/process/open-telemetry.ts';
import { runProcess } from '../../src/app/process/run-process.ts';
import { runSvk } from '../../src/cli/run-svk.ts';
import type { Node, Pod } from '../../src/model/kubernetes.ts';
import type { ProviderDeps } from '../../src/ports/provider-factory.ts';
import { InstantProvider } from '../fakes/provider/instant-provider.ts';
import { waitFor } from '../support/local-cloud.ts';
import { recordedLine } from './recorded-line.ts';

const NODE = 'flags';
const PODS = '/api/v1/namespaces/default/pods';
const { signal } = new AbortController();
const clock = new SystemClock();
let folder: string;
let api: EmbeddedKubernetes;
let client: KubernetesClient;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'svk-flags-'));
  api = await startEmbeddedKubernetes({ directory: folder });
  client = new KubernetesClient(
    { server: api.url, certificateAuthority: api.certificateAuthority, token: api.token },
    { clock },
  );
});
afterAll(async () => {
  client.close();
  await api.close();
  await rm(folder, { recursive: true, force: true });
});

interface Running {
  readonly provider: InstantProvider;
  /** What the provider was told of its process. */
  deps(): ProviderDeps | undefined;
  log(): string;
  stop(): Promise<number>;
}
const running = new Set<Running>();
afterEach(async () => {
  for (const one of running) await one.stop();
  running.clear();
  await client.delete(PODS, { signal, gracePeriodSeconds: 0 });
});

/** `svk run` with these flags, up to its provider: that one is ours, to watch what reaches it. Waits until it is ready. */
const run = async (...flags: string[]): Promise<Running> => {
  const ending = new AbortController();
  const provider = new InstantProvider(clock);
  let deps: ProviderDeps | undefined;
  const environment = { KUBECONFIG: api.kubeconfigPath, DEFAULT_NODE_NAME: NODE, VKUBELET_POD_IP: '127.0.0.1' };
  const line = recordedLine(folder, environment);
  const factory = {
    name: 'mock',
    create: async (_config: unknown, given: ProviderDeps) => {
      deps = given;
      return { provider };
    },
  };
  const defaults = ['--log-level=debug', 'run', '--provider=mock', '--listen=127.0.0.1:0', '--metrics-addr='];
  const certificate = '--serving-certificate=self-signed';
  const ended = runSvk([...defaults, certificate, ...flags], line, async ({ options, document, trace, logger }) => {
    const node = { operatingSystem: options.operatingSystem, provider: 'mock', nodeName: options.nodeName };
    const telemetry = await openTelemetry({ isMeasured: false, trace, node }, { clock, logger, environment });
    const random = new SystemRandom();
    const means = { factory, providerConfig: document, environment, clock, random, logger, telemetry };
    await runProcess(options, means, ending.signal);
  });
  const one: Running = {
    provider,
    deps: () => deps,
    log: line.log,
    stop: () => {
      ending.abort();
      return ended;
    },
  };
  running.add(one);
  await waitFor(() => line.log().includes('msg=ready'), { withinMs: 30_000, what: 'the node' });
  return one;
};

const addPods = (...names: string[]): Promise<Pod[]> =>
  Promise.all(
    names.map((name) =>
      client.create<Pod>(
        PODS,
        { metadata: { name }, spec: { nodeName: NODE, containers: [{ name: 'main', image: 'none' }] } },
        { signal },
      ),
    ),
  );

const count = (text: string, part: string): number => text.split(part).length - 1;

it('--cluster-domain, --os and --node-ip reach the provider', async () => {
  const svk = await run('--cluster-domain=corp.example', '--os=windows', '--node-ip=192.0.2.9');
  expect(svk.deps()).toMatchObject({
    clusterDomain: 'corp.example',
    operatingSystem: 'windows',
    internalIp: '192.0.2.9',
    node: NODE,
  });
});

it('--taint names the key of the taint, and --namespace narrows nothing; both are told to be deprecated', async () => {
  const svk = await run('--taint=team/burst', '--namespace=elsewhere');
  const { spec } = await client.get<Node>(nodePath(NODE), { signal });
  expect(spec?.taints?.map(({ key }) => key)).toEqual(['team/burst']);
  await addPods('web');
  await waitFor(() => svk.provider.live().length === 1);
  expect(svk.log()).toContain('--taint is deprecated');
  expect(svk.log()).toContain('--namespace is deprecated');
});

it('--enable-node-lease=false changes nothing: there is a lease', async () => {
  await run('--enable-node-lease=false');
  const lease = await client.get<{ readonly spec?: { readonly holderIdentity?: string } }>(
    `/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/${NODE}`,
    { signal },
  );
  expect(lease.spec?.holderIdentity).toBe(NODE);
});

it('--pod-sync-workers bounds the pods worked on side by side', async () => {
  for (const workers of [1, 3]) {
    const svk = await run(`--pod-sync-workers=${workers}`);
    let at = 0;
    let most = 0;
    svk.provider.hook = async (method, when) => {
      if (method !== 'launch') return;
      at += when === 'before' ? 1 : -1;
      most = Math.max(most, at);
      if (when === 'before') await clock.sleep(200);
    };
    await addPods(...Array.from({ length: 6 }, (_, pod) => `w${workers}-${pod}`));
    await waitFor(() => svk.provider.live().length === 6, { withinMs: 20_000, what: 'six pods' });
    expect(most).toBe(workers);
    await svk.stop();
    await client.delete(PODS, { signal, gracePeriodSeconds: 0 });
  }
});

it('--full-resync-period says how often everything is compared, and 0 that it is not', async () => {
  const often = await run('--full-resync-period=200ms');
  const before = count(often.log(), 'msg="pods compared"');
  await waitFor(() => count(often.log(), 'msg="pods compared"') >= before + 3, { withinMs: 20_000 });
  await often.stop();
  const never = await run('--full-resync-period=0');
  const atStart = count(never.log(), 'msg="pods compared"');
  expect(atStart).toBe(1);
  await clock.sleep(1_000);
  expect(count(never.log(), 'msg="pods compared"')).toBe(1);
});

it('--shutdown-timeout is how long work in progress may go on', async () => {
  const svk = await run('--shutdown-timeout=300ms');
  const release = new AbortController();
  let isLaunching = false;
  svk.provider.hook = async (method, when) => {
    if (method !== 'launch' || when !== 'before') return;
    isLaunching = true;
    await clock.sleep(60_000, release.signal);
  };
  await addPods('slow');
  await waitFor(() => isLaunching);
  const began = performance.now();
  expect(await svk.stop()).toBe(0);
  const tookMs = performance.now() - began;
  expect(tookMs).toBeGreaterThanOrEqual(300);
  expect(tookMs).toBeLessThan(10_000);
  expect(svk.log()).toContain('work was left behind');
  release.abort();
});
