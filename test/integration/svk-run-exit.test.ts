import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type EmbeddedKubernetes, startEmbeddedKubernetes } from '../../infra/local/kubernetes/server.ts';
import { KubernetesClient } from '../../src/adapters/kubernetes/kubernetes-client.ts';
import { SystemClock } from '../../src/adapters/system/system-clock.ts';

const SVK = fileURLToPath(new URL('../../src/cli/svk.mjs', import.meta.url));
/** Long: the machine may be busy with other tests. */
const WITHIN_MS = 60_000;
/** Of a plugin that hangs: longer than anybody waits for here. */
const HANGING_SECONDS = '90';
let folder: string;
let api: EmbeddedKubernetes;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'svk-run-exit-'));
  api = await startEmbeddedKubernetes({ directory: folder });
});
afterAll(async () => {
  await api.close();
  await rm(folder, { recursive: true, force: true });
});

/** `svk run` as a process of its own: its exit code, or the signal that it had to be ended by. */
const exitOf = async (...flags: readonly string[]): Promise<{ readonly code: unknown; readonly output: string }> => {
  const own = ['--provider=mock', '--node-ip=127.0.0.1', '--listen=127.0.0.1:0', '--serving-certificate=self-signed'];
  const child = spawn(
    process.execPath,
    [SVK, 'run', `--kubeconfig=${api.kubeconfigPath}`, '--metrics-addr=', ...own, ...flags],
    {
      stdio: ['ignore', 'ignore', 'pipe'],
      timeout: WITHIN_MS,
      killSignal: 'SIGKILL',
    },
  );
  let output = '';
  child.stderr.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
  return { code: code ?? signal, output };
};

it('ends by itself where its node is somebody else’s', async () => {
  const client = new KubernetesClient(
    { server: api.url, certificateAuthority: api.certificateAuthority, token: api.token },
    { clock: new SystemClock() },
  );
  const metadata = { name: 'taken', annotations: { 'svk.dev/deployment': 'other' } };
  await client.create('/api/v1/nodes', { metadata }, { signal: AbortSignal.timeout(WITHIN_MS) });
  client.close();
  const { code, output } = await exitOf('--nodename=taken');
  expect(output).toContain('svk: node taken exists and is not of deployment svk');
  expect(code).toBe(3);
});

it('ends by itself where the address of its metrics is taken', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const { code, output } = await exitOf(`--metrics-addr=127.0.0.1:${port}`);
  server.close();
  expect(output).toContain(`svk: --metrics-addr 127.0.0.1:${port} cannot be listened at`);
  expect(code).toBe(3);
});

it('ends after --startup-timeout though a plugin that gives credentials hangs', async () => {
  const kubeconfig = path.join(folder, 'plugin.json');
  // Its process outlives ours: it must end some time.
  const exec = {
    apiVersion: 'client.authentication.k8s.io/v1',
    command: 'sleep',
    args: [HANGING_SECONDS],
    interactiveMode: 'Never',
  };
  const document = {
    'current-context': 'c',
    contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
    clusters: [{ name: 'c', cluster: { server: api.url } }],
    users: [{ name: 'u', user: { exec } }],
  };
  await writeFile(kubeconfig, JSON.stringify(document));
  const { code, output } = await exitOf(`--kubeconfig=${kubeconfig}`, '--startup-timeout=500ms');
  expect(output).toContain('svk: not ready within the 0.5 s of --startup-timeout');
  expect(code).toBe(4);
});
