import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { KubernetesCredentials } from '../../src/adapters/kubernetes/credentials.ts';
import { credentialsFromKubeconfig } from '../../src/adapters/kubernetes/credentials-from-kubeconfig.ts';
import { KubernetesClient } from '../../src/adapters/kubernetes/kubernetes-client.ts';
import { corePath, leasePath, nodePath } from '../../src/adapters/kubernetes/paths.ts';
import { SystemClock } from '../../src/adapters/system/system-clock.ts';
import { serviceAccountCredentials } from '../../src/cli/credentials/service-account-token.ts';
import type { Manifest } from '../../src/cli/manifests/manifest.ts';
import { type ManifestsOptions, printManifests } from '../../src/cli/manifests/print-manifests.ts';
import { RENEWED_BY_ANNOTATION } from '../../src/controllers/node/node-definition.ts';
import { ignoreNotFound } from '../../src/core/errors.ts';
import type { Lease, Node, Pod } from '../../src/model/kubernetes.ts';
import { refusedOf, requestsOf, rightsOf, usedRights } from '../support/audit-log.ts';
import { certificateRequest } from '../support/certificate-request.ts';
import { ClusterWorld } from '../support/cluster-world.ts';
import { type ControlPlane, startControlPlane } from '../support/control-plane.ts';
import { kubeletStatus, startSvkProcess } from '../support/svk-process.ts';
import { demandingPod } from './least-privilege/demanding-pod.ts';

const clock = new SystemClock();
const { signal } = new AbortController();
let plane: ControlPlane;
let admin: KubernetesClient;

beforeAll(async () => {
  plane = await startControlPlane({ audit: true });
  admin = new KubernetesClient(await credentialsFromKubeconfig(plane.kubeconfig), { clock });
});
afterAll(async () => {
  admin?.close();
  await plane?.remove();
});

const NODE = { name: 'fargate', architecture: 'amd64', capacity: { cpu: '8', memory: '32Gi', pods: 20 } } as const;

const options = (rest: Partial<ManifestsOptions>): ManifestsOptions => ({
  deployment: 'dev',
  nodes: NODE.name,
  identity: 'serviceaccount',
  namespace: 'svk-system',
  namespaces: 'granted',
  for: 'functions',
  certificates: true,
  certificateSigner: 'kubernetes.io/kubelet-serving',
  push: false,
  output: 'json',
  ...rest,
});

/** What `svk manifests` prints, applied as it is. */
const apply = async (wanted: ManifestsOptions): Promise<readonly Manifest[]> => {
  let printed = '';
  await printManifests(wanted, { environment: {}, print: (line) => void (printed += line) });
  await kubectl(['apply', '-f', '-'], printed);
  return (JSON.parse(printed) as { items: readonly Manifest[] }).items;
};

const kubectl = async (args: readonly string[], input = ''): Promise<string> => {
  const child = spawn('kubectl', ['--kubeconfig', plane.kubeconfig, ...args], { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end(input);
  const exited = once(child, 'exit');
  const output = await text(child.stdout);
  expect((await exited)[0]).toBe(0);
  return output;
};

const createPod = (namespace: string, name: string): Promise<Pod> =>
  admin.create<Pod>(corePath(namespace, 'pods'), demandingPod(NODE.name, name), { signal });

const prepareNamespace = async (namespace: string): Promise<void> => {
  await kubectl(['create', 'namespace', namespace]);
  await kubectl(['-n', namespace, 'create', 'configmap', 'settings', '--from-literal=COLOUR=blue']);
  await kubectl(['-n', namespace, 'create', 'secret', 'generic', 'keys', '--from-literal=KEY=sesame']);
  await kubectl(['-n', namespace, 'create', 'service', 'clusterip', 'shop', '--tcp=80']);
  await waitFor(async () => {
    const accounts = await kubectl(['-n', namespace, 'get', 'serviceaccounts', '-o', 'name']);
    return accounts.includes('serviceaccount/default');
  });
};

const waitFor = async (holds: () => Promise<boolean>): Promise<void> => {
  for (let tries = 0; tries < 100; tries += 1) {
    if (await holds()) return;
    await clock.sleep(200);
  }
  throw new Error('it did not come about within 20 s');
};

/** Somebody removes a label of ours, and takes the lease. */
const tamper = async (): Promise<void> => {
  await admin.patch(nodePath(NODE.name), 'merge', { metadata: { labels: { type: null } } }, { signal });
  await admin.patch(leasePath(NODE.name), 'merge', { spec: { holderIdentity: 'nobody' } }, { signal });
};

const typeOf = async (): Promise<string | undefined> =>
  (await admin.get<Node>(nodePath(NODE.name), { signal })).metadata?.labels?.['type'];

const leaseHolder = async (): Promise<string | undefined> =>
  (await ignoreNotFound(admin.get<Lease>(leasePath(NODE.name), { signal })))?.spec?.holderIdentity;

const phaseOf = async ({ metadata }: Pod): Promise<string | undefined> => {
  const path = corePath(metadata?.namespace ?? '', 'pods', metadata?.name ?? '');
  return (await ignoreNotFound(admin.get<Pod>(path, { signal })))?.status?.phase;
};

const renewedBy = async (world: ClusterWorld): Promise<string | undefined> =>
  (await ignoreNotFound(world.kubernetes.leases.get(NODE.name, signal)))?.metadata?.annotations?.[
    RENEWED_BY_ANNOTATION
  ];

/** Everything the functions do in the life of a node and a pod. */
const live = async (world: ClusterWorld, namespace: string): Promise<void> => {
  // As every function does when it opens its session with the cluster.
  await world.kubernetes.cluster.namespace('kube-system', signal);
  world.start();
  await waitFor(async () => (await renewedBy(world)) === 'beat');
  await tamper();
  await world.heartbeat.scheduled(signal);
  expect(await typeOf()).toBe('virtual-kubelet');
  await waitFor(async () => (await leaseHolder()) === NODE.name);

  const pod = await createPod(namespace, 'web');
  await world.resync.run(NODE.name, signal);
  await waitFor(async () => world.provider.live(pod.metadata?.uid).length > 0);
  const [workload] = world.provider.live(pod.metadata?.uid);
  const id = workload?.id ?? '';
  await world.happens(id, () => world.provider.run(id));
  await admin.delete(corePath(namespace, 'pods', 'web'), { signal });
  await world.work(world.wakeFor(pod, 'delete'));
  await world.happens(id, () => undefined);
  await waitFor(async () => !(await kubectl(['-n', namespace, 'get', 'pods', '-o', 'name'])).includes('web'));

  // What the kubelet API asks about its callers.
  const token = await kubectl(['-n', namespace, 'create', 'token', 'default']);
  const user = await world.kubernetes.access.reviewToken(token.trim(), signal);
  expect(user?.username).toBe(`system:serviceaccount:${namespace}:default`);
  const attributes = { verb: 'get', resource: 'pods', subresource: 'log', namespace };
  expect(user && (await world.kubernetes.access.reviewAccess(user, attributes, signal))).toBe(false);
};

const REQUESTS = '/apis/certificates.k8s.io/v1/certificatesigningrequests';

/** A key and its certificate, asked for by `as` and approved by the administrator. */
const certify = async (
  name: string,
  { as, signer, usages }: { as: KubernetesClient; signer: string; usages: readonly string[] },
): Promise<{ readonly key: string; readonly certificate: string }> => {
  // A client certificate may hold no other names.
  const dnsName = usages.includes('server auth') ? name : undefined;
  const { key, request } = await certificateRequest(`O=system:nodes, CN=system:node:${NODE.name}`, dnsName);
  const spec = { request: Buffer.from(request).toString('base64'), signerName: signer, usages };
  const kind = { apiVersion: 'certificates.k8s.io/v1', kind: 'CertificateSigningRequest' };
  await as.create(REQUESTS, { ...kind, metadata: { name }, spec }, { signal });
  await kubectl(['certificate', 'approve', name]);
  let certificate: string | undefined;
  await waitFor(async () => {
    const { status } = await as.get<{ status?: { certificate?: string } }>(`${REQUESTS}/${name}`, { signal });
    certificate = status?.certificate;
    return certificate !== undefined;
  });
  return { key, certificate: Buffer.from(certificate ?? '', 'base64').toString('utf8') };
};

const requestUid = async (): Promise<string | undefined> =>
  (await ignoreNotFound(admin.get<Node>(`${REQUESTS}/svk-fargate-serving`, { signal })))?.metadata?.uid;

/** Of a service account that `svk manifests` has made. */
const credentialsOf = (name: string): Promise<KubernetesCredentials> => {
  const source = { kubeconfig: plane.kubeconfig, context: undefined, environment: {}, clock, signal };
  return serviceAccountCredentials({ namespace: 'svk-system', name }, source);
};

describe('the roles of `svk manifests`', () => {
  it('A-10 are enough for the functions as a service account, and no rule is without use', async () => {
    await prepareNamespace('granted');
    const manifests = await apply(options({}));
    const world = new ClusterWorld(await credentialsOf('svk-dev'), NODE);
    await live(world, 'granted');
    await certify('svk-fargate-serving', {
      as: world.client,
      signer: 'kubernetes.io/kubelet-serving',
      usages: ['digital signature', 'server auth'],
    });
    await world.client.delete(`${REQUESTS}/svk-fargate-serving`, { signal });
    await world.stop();

    const requests = await requestsOf(plane.folder, 'system:serviceaccount:svk-system:svk-dev');
    expect(refusedOf(requests)).toEqual([]);
    const rights = rightsOf(manifests);
    const used = usedRights(rights, requests);
    // Tokens are delivered with files, which the functions do not do yet.
    expect(rights.filter((right) => !used.has(right))).toEqual(['granted: serviceaccounts/token create']);
  });

  it('A-10 keep Secrets of other namespaces closed, and the pod says what to run', async () => {
    await prepareNamespace('closed');
    const world = new ClusterWorld(await credentialsOf('svk-dev'), NODE);
    const pod = await createPod('closed', 'web');
    await world.adoption.adopt(NODE.name, signal);
    await world.work(world.wakeFor(pod, 'create'));
    expect(world.provider.live()).toEqual([]);
    const { status } = await admin.get<Pod>(corePath('closed', 'pods', 'web'), { signal });
    expect(JSON.stringify(status)).toContain('secrets \\"keys\\" is forbidden');
    await world.stop();
    await admin.delete(corePath('closed', 'pods', 'web'), { signal, gracePeriodSeconds: 0 });
  });

  it('A-10 are enough beside the Node authorizer for a node of its own name', async () => {
    await admin.delete(nodePath(NODE.name), { signal });
    const manifests = await apply(options({ deployment: 'node', identity: 'node' }));
    const keys = await certify('fargate-client', {
      as: admin,
      signer: 'kubernetes.io/kube-apiserver-client-kubelet',
      usages: ['digital signature', 'client auth'],
    });
    const { server, certificateAuthority } = await credentialsFromKubeconfig(plane.kubeconfig);
    const credentials = { server, certificateAuthority, clientCertificate: keys.certificate, clientKey: keys.key };
    const world = new ClusterWorld(credentials, NODE, { deployment: 'node' });
    await live(world, 'granted');
    await world.stop();

    const requests = await requestsOf(plane.folder, 'system:node:fargate');
    expect(refusedOf(requests)).toEqual([]);
    const rights = rightsOf(manifests);
    expect(rights).toEqual(['namespaces get', 'certificates.k8s.io/certificatesigningrequests delete']);
    // Where a request was left behind, which no function does.
    expect([...usedRights(rights, requests)]).toEqual(['namespaces get']);
  });

  it('A-10 are enough for one process that watches, and no rule is without use', async () => {
    await admin.delete(nodePath(NODE.name), { signal });
    const manifests = await apply(options({ deployment: 'proc', for: 'process', certificates: false }));
    // Left behind by somebody whose key is gone.
    const { request } = await certificateRequest('O=system:nodes, CN=system:node:fargate', 'fargate');
    const leftBehind = await admin.create<Node>(
      REQUESTS,
      {
        metadata: { name: 'svk-fargate-serving' },
        spec: {
          request: Buffer.from(request).toString('base64'),
          signerName: 'kubernetes.io/kubelet-serving',
          usages: ['digital signature', 'server auth'],
        },
      },
      { signal },
    );
    const svk = await startSvkProcess(await credentialsOf('svk-proc'), {
      folder: plane.folder,
      node: NODE.name,
      deployment: 'proc',
    });
    await waitFor(async () => (await leaseHolder()) === NODE.name);
    await tamper();
    const pod = await createPod('granted', 'web');
    await waitFor(async () => (await phaseOf(pod)) === 'Running');
    await admin.delete(corePath('granted', 'pods', 'web'), { signal });
    await waitFor(async () => (await phaseOf(pod)) === undefined);
    const token = await kubectl(['-n', 'granted', 'create', 'token', 'default']);
    const { status } = await admin.get<Node>(nodePath(NODE.name), { signal });
    const port = status?.daemonEndpoints?.kubeletEndpoint?.Port;
    await waitFor(async () => (await kubeletStatus(port, '/pods', token.trim())) === 500);
    await waitFor(async () => ![undefined, leftBehind.metadata?.uid].includes(await requestUid()));
    await kubectl(['certificate', 'approve', 'svk-fargate-serving']);
    await waitFor(async () => (await kubeletStatus(port, '/pods', token.trim())) === 403);
    await waitFor(async () => (await leaseHolder()) === NODE.name && (await typeOf()) === 'virtual-kubelet');
    expect(await svk.end()).toBe(0);
    expect(await ignoreNotFound(admin.get(nodePath(NODE.name), { signal }))).toBeUndefined();

    const requests = await requestsOf(plane.folder, 'system:serviceaccount:svk-system:svk-proc');
    expect(refusedOf(requests)).toEqual([]);
    const rights = rightsOf(manifests);
    const used = usedRights(rights, requests);
    expect(rights.filter((right) => !used.has(right))).toEqual([
      // Where the cache is in doubt: after a conflict, and before a workload is stopped because its pod seems gone.
      'pods get',
      // Before the first list of services.
      'services get',
      'granted: serviceaccounts/token create',
    ]);
  });
});
