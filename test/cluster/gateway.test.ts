import { execFile, spawn } from 'node:child_process';
import { randomBytes, X509Certificate } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import type { RequestOptions } from 'node:https';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ProcessRuntime } from '../../infra/local/runtimes/process/process-runtime.ts';
import { createCertificateRequestsApi } from '../../src/adapters/kubernetes/certificate-requests.ts';
import { credentialsFromKubeconfig } from '../../src/adapters/kubernetes/credentials-from-kubeconfig.ts';
import { KubernetesClient } from '../../src/adapters/kubernetes/kubernetes-client.ts';
import { corePath, nodePath } from '../../src/adapters/kubernetes/paths.ts';
import { SystemClock } from '../../src/adapters/system/system-clock.ts';
import { toGateway } from '../../src/cli/manifests/gateway.ts';
import { ignoreNotFound } from '../../src/core/errors.ts';
import type { KubernetesEvent, Node, Pod } from '../../src/model/kubernetes.ts';
import { refusedOf, requestsOf, rightsOf, usedRights } from '../support/audit-log.ts';
import { certificateRequest } from '../support/certificate-request.ts';
import { type Child, startChild } from '../support/child.ts';
import { type ControlPlane, startControlPlane } from '../support/control-plane.ts';
import { createKillableSvk, type KillableSvk } from '../support/killable-svk.ts';
import { TestAuthority } from '../unit/server/test-certificates.ts';
import { ask } from './gateway/ask.ts';

const SVK = fileURLToPath(new URL('../../src/cli/svk.mjs', import.meta.url));
const NODE = 'fargate';
const REQUEST = 'svk-fargate-serving';
const { signal } = new AbortController();
const run = promisify(execFile);

let plane: ControlPlane;
let admin: KubernetesClient;
let controllers: KillableSvk;
let gateway: Child;
let log: string;
const manifests = toGateway({
  deployment: 'kill',
  nodes: [NODE],
  namespace: 'svk-system',
  image: 'none',
  variables: {},
  roleArn: undefined,
  signer: 'kubernetes.io/kubelet-serving',
});

const kubectl = async (...args: string[]): Promise<string> => {
  const { stdout } = await run('kubectl', ['--kubeconfig', plane.kubeconfig, ...args]);
  return stdout;
};

const waitFor = async <T>(what: string, look: () => Promise<T | undefined | false>): Promise<T> => {
  for (const end = Date.now() + 60_000; Date.now() < end; await delay(200)) {
    const found = await look();
    if (found) return found;
  }
  throw new Error(`${what}: not within a minute; the gateway says:\n${await readFile(log, 'utf8')}`);
};

const readNode = (): Promise<Node | undefined> => ignoreNotFound(admin.get<Node>(nodePath(NODE), { signal }));
const portOf = async (): Promise<number | undefined> =>
  (await readNode())?.status?.daemonEndpoints?.kubeletEndpoint?.Port;
const conditionOf = async () =>
  (await readNode())?.status?.conditions?.find(({ type }) => type === 'ServingCertificate');

/** A gateway with the rights of its manifests and no others, on the rows and tasks of the deployment. */
const startGateway = async (): Promise<Child> => {
  await kubectl('create', 'namespace', 'svk-system');
  const file = path.join(plane.folder, 'gateway.json');
  const wanted = manifests.filter(({ kind }) => kind !== 'Deployment');
  await writeFile(file, JSON.stringify({ apiVersion: 'v1', kind: 'List', items: wanted }));
  await kubectl('apply', '-f', file);
  const token = (await kubectl('-n', 'svk-system', 'create', 'token', 'svk-kill-gateway')).trim();
  const { server, certificateAuthority = '' } = await credentialsFromKubeconfig(plane.kubeconfig);
  const kubeconfig = path.join(plane.folder, 'gateway.kubeconfig');
  await writeFile(
    kubeconfig,
    JSON.stringify({
      'current-context': 'svk',
      contexts: [{ name: 'svk', context: { cluster: 'svk', user: 'svk' } }],
      clusters: [
        {
          name: 'svk',
          cluster: { server, 'certificate-authority-data': Buffer.from(certificateAuthority).toString('base64') },
        },
      ],
      users: [{ name: 'svk', user: { token } }],
    }),
    { mode: 0o600 },
  );
  const { 'serving-certificate': _own, nodename: _all, 'provider-config': settings = '', ...flags } = controllers.flags;
  const all = { ...flags, kubeconfig, only: 'kubelet-api' };
  return startChild(
    [process.execPath, SVK, 'run', ...Object.entries(all).map(([name, value]) => `--${name}=${value}`)],
    { env: { ...controllers.environment, SVK_SETTINGS: await readFile(settings, 'utf8') }, log },
  );
};

/** The client certificate that the cluster has signed for a node. */
const nodeCertificate = async (node: string): Promise<RequestOptions> => {
  const requests = createCertificateRequestsApi(admin);
  const { key, request: asked } = await certificateRequest(`O=system:nodes, CN=system:node:${node}`);
  const name = `node-${node}-${Math.random().toString(36).slice(2)}`;
  const usages = ['digital signature', 'client auth'];
  const signerName = 'kubernetes.io/kube-apiserver-client-kubelet';
  await requests.create({ name, labels: {}, signerName, request: asked, usages }, signal);
  await kubectl('certificate', 'approve', name);
  const cert = await waitFor('a client certificate', async () => {
    const found = await requests.find(name, signal);
    return found?.state.kind === 'issued' && found.state.certificate;
  });
  return { cert, key };
};

beforeAll(async () => {
  plane = await startControlPlane({ audit: true, kubeletAuthority: true });
  log = path.join(plane.folder, 'gateway.log');
  admin = new KubernetesClient(await credentialsFromKubeconfig(plane.kubeconfig), { clock: new SystemClock() });
  controllers = await createKillableSvk(plane.kubeconfig, NODE, new ProcessRuntime());
  await controllers.start();
  await waitFor('the node is registered', readNode);
  await admin.create(
    corePath('default', 'pods'),
    {
      metadata: { name: 'web' },
      spec: {
        nodeName: NODE,
        automountServiceAccountToken: false,
        containers: [{ name: 'app', image: 'app:1', command: ['sh', '-c', 'echo hello; exec sleep 600'] }],
      },
    },
    { signal },
  );
  await waitFor('the pod runs', async () => {
    const { status } = await admin.get<Pod>(corePath('default', 'pods', 'web'), { signal });
    return status?.phase === 'Running';
  });
});
afterAll(async () => {
  await gateway?.stop();
  await controllers?.close();
  admin?.close();
  await plane?.remove();
});

describe('a stream gateway', () => {
  let own: number | undefined;
  let port = 0;

  it('A-01 A-02 waits for its certificate in sight of everybody, and leaves the node its own address', async () => {
    own = await portOf();
    // The API server checks the certificates of kubelets, and nobody has signed the one of the controllers' process.
    await expect(kubectl('logs', 'web')).rejects.toThrow(/certificate signed by unknown authority/);
    gateway = await startGateway();
    const waiting = await waitFor('a condition', conditionOf);
    expect(waiting).toMatchObject({
      status: 'False',
      reason: 'WaitingForApproval',
      message: `serving certificate waiting for approval of ${REQUEST}: kubectl certificate approve ${REQUEST}`,
    });
    const events = await waitFor('an event', async () => {
      const { items } = await admin.list<KubernetesEvent>(corePath('default', 'events'), { signal });
      const found = items.filter(({ reason }) => reason === 'ServingCertificateWaitingForApproval');
      return found.length > 0 && found;
    });
    expect(events.map(({ involvedObject }) => `${involvedObject.kind} ${involvedObject.name}`)).toEqual([
      `Node ${NODE}`,
    ]);
    port = Number(/node served.* port=(\d+)/.exec(await readFile(log, 'utf8'))?.[1]);
    const began = performance.now();
    const { status, body } = await ask(port);
    expect(performance.now() - began).toBeLessThan(5_000);
    expect(status).toBe(500);
    expect(body).toContain(`kubectl certificate approve ${REQUEST}`);
    expect(await portOf()).toBe(own);
  });

  it('A-01 serves kubectl logs by an API server that checks its certificate, once that is approved', async () => {
    await kubectl('certificate', 'approve', REQUEST);
    await waitFor('the gateway’s port on the node', async () => (await portOf()) === port);
    expect(await kubectl('logs', 'web')).toBe('hello\n');
    expect(await conditionOf()).toMatchObject({ status: 'True', reason: 'Issued' });
    const { status, certificate } = await ask(port);
    expect(status).toBe(401);
    expect(certificate?.subject).toBe('O=system:nodes\nCN=system:node:fargate');
    expect(certificate?.subjectAltName).toBe('DNS:fargate, IP Address:127.0.0.1');
    const authority = new X509Certificate(await readFile(path.join(plane.folder, 'ca.crt')));
    expect(certificate?.verify(authority.publicKey)).toBe(true);
  });

  describe('A-04 lets in who may, by the API server’s own word', () => {
    const token = (account: string, ...more: string[]): Promise<string> =>
      kubectl('-n', 'default', 'create', 'token', account, ...more);
    const bearer = async (...args: Parameters<typeof token>): Promise<RequestOptions> => ({
      headers: { authorization: `Bearer ${(await token(...args)).trim()}` },
    });
    const statusOf = async (requestPath: string, options: RequestOptions = {}): Promise<number> =>
      (await ask(port, { path: requestPath, ...options })).status;

    beforeAll(async () => {
      await kubectl('create', 'serviceaccount', 'monitor');
      await kubectl('create', 'clusterrole', 'monitor', '--verb=get', '--resource=nodes/pods,nodes/healthz');
      await kubectl(
        'create',
        'clusterrolebinding',
        'monitor',
        '--clusterrole=monitor',
        '--serviceaccount=default:monitor',
      );
      await kubectl('create', 'serviceaccount', 'reader');
      await kubectl('create', 'role', 'reader', '--verb=get', '--resource=pods/log');
      await kubectl('create', 'rolebinding', 'reader', '--role=reader', '--serviceaccount=default:reader');
    });

    it('a token with a right gets what that right is for, and no more', async () => {
      const monitor = await bearer('monitor');
      const { status, body } = await ask(port, { path: '/runningpods/', ...monitor });
      expect([status, body.includes('"name":"web"')]).toEqual([200, true]);
      expect(await statusOf('/pods', monitor)).toBe(200);
      expect(await statusOf('/healthz', monitor)).toBe(200);
      for (const denied of ['/metrics/resource', '/containerLogs/default/web/app', '/exec/default/web/app?command=id'])
        expect([denied, await statusOf(denied, monitor)]).toEqual([denied, 403]);

      const reader = await bearer('reader');
      expect((await ask(port, { path: '/containerLogs/default/web/app', ...reader })).body).toBe('hello\n');
      for (const denied of ['/containerLogs/kube-system/web/app', '/pods', '/exec/default/web/app?command=id'])
        expect([denied, await statusOf(denied, reader)]).toEqual([denied, 403]);
    });

    it.each(['GET', 'POST'])('nobody else gets anything: %s', async (method) => {
      const { certificate, privateKey } = await (await TestAuthority.create('CN=kubernetes')).issue({
        subject: 'O=system:masters, CN=kube-apiserver-kubelet-client',
      });
      const callers: readonly (readonly [string, RequestOptions, number])[] = [
        ['nobody', {}, 401],
        ['a certificate of another CA', { cert: certificate, key: privateKey }, 401],
        ['a token of another audience', await bearer('monitor', '--audience=elsewhere'), 401],
        ['a token without rights', await bearer('default'), 403],
        ['another node', await nodeCertificate('other'), 403],
      ];
      const paths = ['/pods', '/runningpods/', '/containerLogs/default/web/app', '/exec/default/web/app?command=id'];
      for (const [who, options, expected] of callers)
        for (const one of paths)
          expect([who, one, await statusOf(one, { method, ...options })]).toEqual([who, one, expected]);
    });
  });

  it('keeps its address while the controllers write the node', async () => {
    const { resourceVersion } = (await readNode())?.metadata ?? {};
    await waitFor('a status', async () => (await readNode())?.metadata?.resourceVersion !== resourceVersion);
    expect(await portOf()).toBe(port);
  });

  it('A-10 has needed every right it has, and no other', async () => {
    const requests = await requestsOf(plane.folder, 'system:serviceaccount:svk-system:svk-kill-gateway');
    expect(refusedOf(requests)).toEqual([]);
    const rights = rightsOf(manifests);
    const used = usedRights(rights, requests);
    expect(rights.filter((right) => !used.has(right))).toEqual([
      // Where an earlier process has left a request behind.
      'certificates.k8s.io/certificatesigningrequests delete',
    ]);
  });

  it('carries commands into the task: both outputs, the exit code, and bytes both ways', async () => {
    const failing = kubectl('exec', 'web', '--', 'sh', '-c', 'echo out; echo err >&2; exit 7');
    await expect(failing).rejects.toMatchObject({ code: 7, stdout: 'out\n', stderr: expect.stringContaining('err\n') });
    const bytes = randomBytes(100_000);
    const copy = spawn('kubectl', ['--kubeconfig', plane.kubeconfig, 'exec', '-i', 'web', '--', 'cat']);
    copy.stdin.end(bytes);
    expect((await buffer(copy.stdout)).equals(bytes)).toBe(true);
  });

  it('that ends tells the clients of its sessions, and takes its announcement back', async () => {
    const session = kubectl('exec', 'web', '--', 'sh', '-c', 'echo begun; sleep 60');
    const cut = expect(session).rejects.toMatchObject({
      stdout: 'begun\n',
      stderr: expect.stringContaining('the server is closing'),
    });
    await delay(5_000);
    await gateway.stop();
    await cut;
    expect(await readFile(log, 'utf8')).toContain('announcement withdrawn');
    expect((await readNode())?.metadata?.annotations?.['svk.dev/kubelet-endpoint']).toBeUndefined();
  });
});
