import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request as plainRequest } from 'node:http';
import { Agent, request } from 'node:https';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TLSSocket } from 'node:tls';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type EmbeddedKubernetes, startEmbeddedKubernetes } from '../../infra/local/kubernetes/server.ts';
import { createCertificateAuthority } from '../../infra/local/tls/certificate-authority.ts';
import { KubernetesClient } from '../../src/adapters/kubernetes/kubernetes-client.ts';
import { leasePath, nodePath } from '../../src/adapters/kubernetes/paths.ts';
import { SystemClock } from '../../src/adapters/system/system-clock.ts';
import { runNode } from '../../src/cli/run/run-node.ts';
import { runSvk } from '../../src/cli/run-svk.ts';
import { ignoreNotFound } from '../../src/core/errors.ts';
import type { Node, Pod } from '../../src/model/kubernetes.ts';
import { waitFor } from '../support/local-cloud.ts';

const NODE = 'n1';
const PODS = '/api/v1/namespaces/default/pods';
const { signal } = new AbortController();
let folder: string;
let api: EmbeddedKubernetes;
let client: KubernetesClient;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'svk-run-'));
  api = await startEmbeddedKubernetes({ directory: folder });
  client = new KubernetesClient(
    { server: api.url, certificateAuthority: api.certificateAuthority, token: api.token },
    { clock: new SystemClock() },
  );
});
afterAll(async () => {
  client.close();
  await api.close();
  await rm(folder, { recursive: true, force: true });
});

interface Running {
  /** SIGTERM; answers the exit code. */
  stop(): Promise<number>;
  readonly ended: Promise<number>;
  log(): string;
}

const running = new Set<Running>();
afterEach(async () => {
  for (const one of running) await one.stop();
  running.clear();
  await client.delete(PODS, { signal, gracePeriodSeconds: 0 }).catch(() => undefined);
  await ignoreNotFound(client.delete(nodePath(NODE), { signal }));
  // Nobody collects garbage here: the next node may be another deployment's.
  await ignoreNotFound(client.delete(leasePath(NODE), { signal }));
});

/** `svk run` in this process. */
const run = (args: readonly string[], environment: Readonly<Record<string, string>> = {}): Running => {
  const ending = new AbortController();
  let log = '';
  const line = {
    out: () => undefined,
    err: (text: string) => {
      log += text;
    },
    environment: {
      KUBECONFIG: api.kubeconfigPath,
      DEFAULT_NODE_NAME: NODE,
      VKUBELET_POD_IP: '127.0.0.1',
      ...environment,
    },
    home: folder,
  };
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
  const one: Running = {
    ended,
    log: () => log,
    stop: () => {
      ending.abort();
      return ended;
    },
  };
  running.add(one);
  return one;
};

const readNode = (): Promise<Node | undefined> => ignoreNotFound(client.get<Node>(nodePath(NODE), { signal }));

/** Waits for the node of a process; its log where it ends before. */
const ready = async (svk: Running): Promise<Node> => {
  const early = svk.ended.then((code) => Promise.reject(new Error(`it ended with ${code}: ${svk.log()}`)));
  await Promise.race([waitFor(() => svk.log().includes('msg=ready'), { withinMs: 20_000, what: 'the node' }), early]);
  const node = await readNode();
  if (!node) throw new Error('there is no node');
  return node;
};

const portOf = ({ status }: Node): number => status?.daemonEndpoints?.kubeletEndpoint?.Port ?? 0;

/** Status and certificate of the kubelet API. */
const kubelet = (
  port: number,
  requestPath: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ readonly status: number; readonly body: string; readonly issuer: string }> =>
  new Promise((resolve, reject) => {
    const agent = new Agent({ rejectUnauthorized: false });
    const outgoing = request({ host: '127.0.0.1', port, path: requestPath, headers, agent }, (response) => {
      const issuer = (response.socket as TLSSocket).getPeerX509Certificate()?.issuer ?? '';
      let body = '';
      response.on('data', (chunk: Buffer) => {
        body += chunk.toString();
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body, issuer }));
    });
    outgoing.on('error', reject);
    outgoing.end();
  });

const plain = (port: number, requestPath: string): Promise<number> =>
  new Promise((resolve, reject) => {
    plainRequest({ host: '127.0.0.1', port, path: requestPath }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    })
      .on('error', reject)
      .end();
  });

const takenPort = async (): Promise<{ readonly server: Server; readonly port: number }> => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return { server, port: typeof address === 'object' && address !== null ? address.port : 0 };
};

const addPod = (name: string): Promise<Pod> =>
  client.create<Pod>(
    PODS,
    { metadata: { name }, spec: { nodeName: NODE, containers: [{ name: 'main', image: 'none' }] } },
    { signal },
  );
const phaseOf = async (name: string): Promise<string | undefined> =>
  (await ignoreNotFound(client.get<Pod>(`${PODS}/${name}`, { signal })))?.status?.phase;

describe('the node', () => {
  it('is Ready, tainted, and runs pods', async () => {
    const node = await ready(run([]));
    expect(node.spec?.taints).toEqual([{ key: 'virtual-kubelet.io/provider', value: 'mock', effect: 'NoSchedule' }]);
    expect(node.metadata?.labels).toMatchObject({ type: 'virtual-kubelet', 'kubernetes.io/os': 'linux' });
    expect(node.status?.addresses).toEqual([{ type: 'InternalIP', address: '127.0.0.1' }]);
    expect(node.status?.conditions?.find(({ type }) => type === 'Ready')?.status).toBe('True');
    await addPod('web');
    await waitFor(async () => (await phaseOf('web')) === 'Running');
    await client.delete(`${PODS}/web`, { signal });
    await waitFor(async () => (await phaseOf('web')) === undefined);
  });

  it('is what flags, variables and configuration make it', async () => {
    const config = path.join(folder, 'mock.yaml');
    await writeFile(config, `${NODE}: {cpu: "2", memory: 32Gi, pods: "128", providerID: "mock://7"}`);
    const svk = run(['--os', 'windows', '--provider-config', config, '--node-ip', '192.0.2.7', '--deployment', 'dev'], {
      VKUBELET_TAINT_KEY: 'a/b',
      VKUBELET_TAINT_VALUE: 'v',
      VKUBELET_TAINT_EFFECT: 'NoExecute',
    });
    const node = await ready(svk);
    expect(node.spec).toMatchObject({
      taints: [{ key: 'a/b', value: 'v', effect: 'NoExecute' }],
      providerID: 'mock://7',
    });
    expect(node.metadata?.annotations).toMatchObject({ 'svk.dev/deployment': 'dev' });
    expect(node.status).toMatchObject({
      capacity: { cpu: '2', memory: '32Gi', pods: '128' },
      addresses: [{ type: 'InternalIP', address: '192.0.2.7' }],
      nodeInfo: { operatingSystem: 'windows' },
    });
  });

  it('has no taint with --disable-taint', async () => {
    expect((await ready(run(['--disable-taint']))).spec?.taints ?? []).toEqual([]);
  });

  it('stays when the process ends, unless --delete-node says otherwise', async () => {
    const first = run([]);
    await ready(first);
    expect(await first.stop()).toBe(0);
    expect(await readNode()).toBeDefined();
    const second = run(['--delete-node']);
    await ready(second);
    expect(await second.stop()).toBe(0);
    expect(await readNode()).toBeUndefined();
  });

  it('sends no more than --kube-api-qps', async () => {
    await ready(run(['--kube-api-qps', '2', '--kube-api-burst', '1']));
    const began = performance.now();
    // Status and event of three pods: five waits of half a second at least.
    for (const name of ['a', 'b', 'c']) await addPod(name);
    await waitFor(async () => (await client.list(`/api/v1/namespaces/default/events`, { signal })).items.length >= 3);
    await waitFor(async () => (await Promise.all(['a', 'b', 'c'].map(phaseOf))).every((phase) => phase === 'Running'));
    expect(performance.now() - began).toBeGreaterThan(1_000);
  });
});

describe('the kubelet API', () => {
  it('asks for credentials, and shows a certificate that nobody has signed', async () => {
    const svk = run([]);
    const port = portOf(await ready(svk));
    expect(await kubelet(port, '/pods')).toMatchObject({ status: 401, issuer: `CN=${NODE}` });
    const known = await kubelet(port, '/pods', { authorization: `Bearer ${api.token}` });
    expect(known).toMatchObject({ status: 200 });
    expect(svk.log()).toContain('the kubelet API has a certificate that nobody has signed');
  });

  it('answers anybody with --insecure-allow-anonymous, and says so', async () => {
    const svk = run(['--insecure-allow-anonymous']);
    expect(await kubelet(portOf(await ready(svk)), '/pods')).toMatchObject({ status: 200 });
    expect(svk.log()).toContain('--insecure-allow-anonymous is for tests');
  });

  it('is told who may call it by --client-ca-file, and takes its key pair from files', async () => {
    const authority = await createCertificateAuthority({ commonName: 'own-ca', now: Date.now() });
    const server = await authority.issueServer({ commonName: 'kubelet', names: ['127.0.0.1'] });
    const files = { 'tls.crt': server.certificate, 'tls.key': server.key, 'ca.crt': authority.certificate };
    for (const [name, text] of Object.entries(files)) await writeFile(path.join(folder, name), text);
    const svk = run([], {
      APISERVER_CERT_LOCATION: path.join(folder, 'tls.crt'),
      APISERVER_KEY_LOCATION: path.join(folder, 'tls.key'),
      APISERVER_CA_CERT_LOCATION: path.join(folder, 'ca.crt'),
    });
    expect(await kubelet(portOf(await ready(svk)), '/pods')).toMatchObject({ status: 401, issuer: 'CN=own-ca' });
    expect(svk.log()).not.toContain('nobody has signed');
  });

  it('needs an address that is free, and files that belong together', async () => {
    const { server, port } = await takenPort();
    const taken = run(['--listen', `127.0.0.1:${port}`]);
    expect(await taken.ended).toBe(3);
    expect(taken.log()).toContain(`svk: the kubelet API cannot listen at 127.0.0.1:${port} (EADDRINUSE)`);
    server.close();
    await writeFile(path.join(folder, 'no.pem'), 'no certificate');
    const file = path.join(folder, 'no.pem');
    const wrong = run(['--tls-cert-file', file, '--tls-private-key-file', file]);
    expect(await wrong.ended).toBe(3);
    expect(wrong.log()).toContain('svk: the certificate and the private key of the kubelet API must be PEM texts');
  });

  it('is where KUBELET_PORT or --listen says', async () => {
    const { server, port } = await takenPort();
    await new Promise((resolve) => server.close(resolve));
    expect(portOf(await ready(run(['--listen', `127.0.0.1:${port}`])))).toBe(port);
  });
});

describe('--metrics-addr', () => {
  it('tells whether the node is ready', async () => {
    const { server, port } = await takenPort();
    await new Promise((resolve) => server.close(resolve));
    await ready(run(['--metrics-addr', `127.0.0.1:${port}`]));
    expect([await plain(port, '/healthz'), await plain(port, '/readyz')]).toEqual([200, 200]);
  });

  it('must be free where it was asked for', async () => {
    const { server, port } = await takenPort();
    const svk = run(['--metrics-addr', `127.0.0.1:${port}`]);
    expect(await svk.ended).toBe(3);
    expect(svk.log()).toContain(`svk: --metrics-addr 127.0.0.1:${port} cannot be listened at: choose another`);
    server.close();
  });
});

describe('the end', () => {
  it('comes with 4 where it is not ready within --startup-timeout', async () => {
    const { server, port } = await takenPort();
    const kubeconfig = path.join(folder, 'silent.json');
    await writeFile(
      kubeconfig,
      JSON.stringify({
        'current-context': 'c',
        contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
        clusters: [{ name: 'c', cluster: { server: `http://127.0.0.1:${port}` } }],
        users: [{ name: 'u', user: { token: 't' } }],
      }),
    );
    const svk = run(['--kubeconfig', kubeconfig, '--startup-timeout', '500ms']);
    expect(await svk.ended).toBe(4);
    expect(svk.log()).toContain('svk: not ready within the 0.5 s of --startup-timeout');
    server.close();
  });

  it('comes with 3 for credentials that are refused, a file that is missing, and a node of somebody else', async () => {
    const refused = path.join(folder, 'refused.json');
    await writeFile(
      refused,
      JSON.stringify({
        'current-context': 'c',
        contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
        clusters: [
          {
            name: 'c',
            cluster: {
              server: api.url,
              'certificate-authority-data': Buffer.from(api.certificateAuthority).toString('base64'),
            },
          },
        ],
        users: [{ name: 'u', user: { token: 'wrong' } }],
      }),
    );
    expect(await run(['--kubeconfig', refused]).ended).toBe(3);
    expect(await run(['--tls-cert-file', '/nowhere', '--tls-private-key-file', '/nowhere']).ended).toBe(3);
    await ready(run(['--deployment', 'one']));
    const other = run(['--deployment', 'two']);
    expect(await other.ended).toBe(3);
    expect(other.log()).toContain('svk: node n1 exists and is not of deployment two');
  });

  it('comes with 0 when it is told to end, however far it has come', async () => {
    const svk = run([]);
    expect(await svk.stop()).toBe(0);
  });
});
