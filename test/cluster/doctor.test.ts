import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createCertificateAuthority } from '../../infra/local/tls/certificate-authority.ts';
import type { KubernetesCredentials } from '../../src/adapters/kubernetes/credentials.ts';
import { credentialsFromKubeconfig } from '../../src/adapters/kubernetes/credentials-from-kubeconfig.ts';
import { KubernetesClient } from '../../src/adapters/kubernetes/kubernetes-client.ts';
import { corePath, leasePath, nodePath } from '../../src/adapters/kubernetes/paths.ts';
import { SystemClock } from '../../src/adapters/system/system-clock.ts';
import { serviceAccountCredentials } from '../../src/cli/credentials/service-account-token.ts';
import { ALL_CHECKS } from '../../src/cli/doctor/all-checks.ts';
import type { Reported } from '../../src/cli/doctor/finding.ts';
import { openWorld } from '../../src/cli/doctor/open-world.ts';
import { runChecks } from '../../src/cli/doctor/run-checks.ts';
import { type ManifestsOptions, printManifests } from '../../src/cli/manifests/print-manifests.ts';
import { FakeAccount } from '../fakes/account/fake-account.ts';
import { type ControlPlane, startControlPlane } from '../support/control-plane.ts';

const clock = new SystemClock();
const { signal } = new AbortController();
const URL_OF_WEBHOOK = 'https://127.0.0.1:1/admission/0123456789abcdef0123456789abcdef';
let plane: ControlPlane;
let admin: KubernetesClient;
let adminCredentials: KubernetesCredentials;
let functions: KubernetesCredentials;
let account: FakeAccount;
/** What answers as the kubelet. */
let kubelet: Server;
let answer: { readonly status: number; readonly text: string };

beforeAll(async () => {
  plane = await startControlPlane();
  adminCredentials = await credentialsFromKubeconfig(plane.kubeconfig);
  admin = new KubernetesClient(adminCredentials, { clock });
  await admin.create('/api/v1/namespaces', { metadata: { name: 'granted' } }, { signal });
  await apply({});
  const options = { kubeconfig: plane.kubeconfig, context: undefined, environment: {}, clock, signal };
  functions = await serviceAccountCredentials({ namespace: 'svk-system', name: 'svk-dev' }, options);
  const authority = await createCertificateAuthority({ commonName: 'nobody knows it', now: clock.now() });
  const { certificate: cert, key } = await authority.issueServer({ commonName: 'fargate', names: ['127.0.0.1'] });
  kubelet = createServer({ cert, key }, (_request, response) => {
    response.writeHead(answer.status, { 'content-type': 'text/plain' }).end(answer.text);
  }).listen(0, '127.0.0.1');
  await once(kubelet, 'listening');
  await registerNode();
});
afterAll(async () => {
  admin?.close();
  kubelet?.close();
  await plane?.remove();
});

beforeEach(() => {
  account = new FakeAccount();
  account.parameters.set('/svk-system/dev/kubernetes', JSON.stringify(functions));
  account.parameters.set('/svk-system/dev/admission', '0123456789abcdef0123456789abcdef');
  answer = { status: 200, text: 'a line\n' };
});

/** What `svk manifests` prints, applied as it is. */
const apply = async (rest: Partial<ManifestsOptions>): Promise<void> => {
  let printed = '';
  const options: ManifestsOptions = {
    deployment: 'dev',
    nodes: 'fargate',
    identity: 'serviceaccount',
    namespace: 'svk-system',
    namespaces: 'granted',
    for: 'functions',
    certificates: false,
    certificateSigner: 'kubernetes.io/kubelet-serving',
    push: true,
    admissionUrl: URL_OF_WEBHOOK,
    output: 'json',
    ...rest,
  };
  await printManifests(options, { environment: {}, print: (line) => void (printed += line) });
  const child = spawn('kubectl', ['--kubeconfig', plane.kubeconfig, 'apply', '-f', '-'], {
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  child.stdin.end(printed);
  expect(await once(child, 'exit')).toEqual([0, null]);
};

/** A node as the functions would keep it, whose kubelet is ours, and a pod that runs there. */
const registerNode = async (): Promise<void> => {
  const { port } = kubelet.address() as AddressInfo;
  const labels = { 'kubernetes.io/hostname': 'fargate' };
  await admin.create(
    nodePath(),
    { metadata: { name: 'fargate', labels, annotations: { 'svk.dev/deployment': 'dev' } } },
    { signal },
  );
  const status = {
    addresses: [{ type: 'InternalIP', address: '127.0.0.1' }],
    daemonEndpoints: { kubeletEndpoint: { Port: port } },
    conditions: [{ type: 'Ready', status: 'True', reason: 'Beats', message: 'renewed' }],
  };
  await admin.patch(nodePath('fargate', 'status'), 'strategic', { status }, { signal });
  const renewTime = new Date(clock.now()).toISOString().replace('Z', '000Z');
  await admin.create(
    leasePath(),
    { metadata: { name: 'fargate' }, spec: { holderIdentity: 'fargate', leaseDurationSeconds: 40, renewTime } },
    { signal },
  );
  await admin.create(
    corePath('granted', 'pods'),
    {
      metadata: { name: 'hello' },
      spec: {
        nodeName: 'fargate',
        tolerations: [{ operator: 'Exists' }],
        automountServiceAccountToken: false,
        containers: [{ name: 'app', image: 'busybox' }],
      },
    },
    { signal },
  );
  const now = new Date(clock.now()).toISOString();
  const running = {
    name: 'app',
    ready: true,
    restartCount: 0,
    image: 'busybox',
    imageID: '',
    state: { running: { startedAt: now } },
  };
  const pod = { status: { phase: 'Running', containerStatuses: [running] } };
  await admin.patch(corePath('granted', 'pods', 'hello', 'status'), 'strategic', pod, { signal });
};

/** What the checks of these names find; all of them where none is named. */
const examine = async (...names: readonly string[]): Promise<readonly Reported[]> => {
  const world = openWorld(
    { deployment: 'dev', region: 'eu-west-1', grants: ['granted'], pod: undefined, kubeconfig: plane.kubeconfig },
    account,
    { clock, signal, environment: {} },
  );
  try {
    return await runChecks(
      ALL_CHECKS.filter(({ name }) => names.length === 0 || names.includes(name)),
      world,
      signal,
    );
  } finally {
    world.close();
  }
};
const messages = (findings: readonly Reported[]): readonly string[] =>
  findings.map(({ status, check, message }) => `${status} ${check}: ${message}`);

describe('D-01 svk doctor on a real control plane', () => {
  it('finds a deployment well, but for what this test lacks: an address AWS reaches and a webhook', async () => {
    const found = messages(await examine());
    expect(found).toEqual([
      'pass deployment: svk-dev in eu-west-1 keeps fargate',
      expect.stringMatching(
        /^fail credentials: the server https:\/\/127\.0\.0\.1:\d+ is this machine, which no function reaches/,
      ),
      expect.stringMatching(/^pass cluster: the API server answers: v1\./),
      'pass cluster: the functions use the cluster of this kubeconfig',
      'pass clock: AWS and the cluster agree on the time',
      expect.stringMatching(/^pass rights: the functions have the \d\d rights they need$/),
      'fail webhook: the webhook at 127.0.0.1:1 does not answer',
      'pass concurrency: the account has 10 concurrent executions, 10 of them unreserved; the pod workers take 4 at most',
      'pass vcpu: fargate: 4 vCPU of the 6 the account may use (on demand)',
      'pass subnets: profile default: subnet-0a and their security groups let tasks start',
      'pass task-resources: ECS cluster svk-dev is ACTIVE',
      'pass task-resources: log group /svk/dev/pods is there',
      'pass task-resources: the execution role is there, for ECS tasks',
      expect.stringMatching(/^(pass|fail) nodes: node fargate is/),
      expect.stringMatching(/^(pass|warn|fail) nodes: the lease of fargate was renewed \d+ s ago/),
      'pass logs: the API server reads the log of granted/hello',
    ]);
    expect(JSON.stringify(found)).not.toContain(functions.token);
    expect(JSON.stringify(found)).not.toContain('0123456789abcdef0123456789abcdef');
  });

  it('names each right that is missing, and the command that gives it back', async () => {
    const role = '/apis/rbac.authorization.k8s.io/v1/clusterroles/svk-dev';
    const { rules } = await admin.get<{ rules: { resources: string[]; verbs: string[] }[] }>(role, { signal });
    const fewer = rules.filter(({ resources }) => !['pods/status', 'services'].includes(resources[0] ?? ''));
    await admin.patch(role, 'merge', { rules: fewer }, { signal });
    await admin.delete('/apis/rbac.authorization.k8s.io/v1/namespaces/granted/rolebindings/svk-dev', { signal });
    try {
      const lacks =
        /lack 5 of \d\d rights: patch pods\/status, get services, list services, get secrets in granted, create serviceaccounts\/token in granted$/;
      await expect
        .poll(() => examine('rights'), { timeout: 60_000, interval: 500 })
        .toEqual([
          {
            check: 'rights',
            status: 'fail',
            message: expect.stringMatching(lacks),
            fix: 'svk manifests --deployment dev --region eu-west-1 --namespaces granted | kubectl apply -f -',
          },
        ]);
    } finally {
      await apply({});
    }
  });

  it('warns of credentials that may do everything', async () => {
    account.parameters.set('/svk-system/dev/kubernetes', JSON.stringify(adminCredentials));
    expect(messages(await examine('rights'))).toEqual([
      expect.stringMatching(/^pass rights/),
      'warn rights: the functions may do everything in the cluster',
    ]);
  });

  it('asks for the group of the functions where only they can sign, as on EKS', async () => {
    const { server, certificateAuthority } = functions;
    const eks = { server, certificateAuthority, eks: { cluster: 'prod', region: 'eu-west-1' } };
    account.parameters.set('/svk-system/dev/kubernetes', JSON.stringify(eks));
    expect(await examine('rights')).toMatchObject([
      { status: 'fail', fix: expect.stringContaining('--identity group --namespaces granted | kubectl apply -f -') },
    ]);
    await apply({ identity: 'group' });
    try {
      await expect
        .poll(() => examine('rights'), { timeout: 60_000, interval: 500 })
        .toMatchObject([{ status: 'pass' }]);
    } finally {
      await apply({});
    }
  });

  it('tells credentials that the API server refuses', async () => {
    // Another name of this machine, so that it passes for an address that functions reach.
    const stale = {
      ...functions,
      server: functions.server.replace('127.0.0.1', '0.0.0.0'),
      tlsServerName: 'localhost',
      token: 'revoked',
    };
    account.parameters.set('/svk-system/dev/kubernetes', JSON.stringify(stale));
    expect(await examine('credentials')).toMatchObject([
      { status: 'fail', fix: 'svk credentials set --deployment dev --region eu-west-1 …: the stored ones are refused' },
    ]);
  });

  it('tells a webhook that is not there, and one whose secret has been rotated away', async () => {
    account.parameters.set('/svk-system/dev/admission', 'fedcba9876543210fedcba9876543210');
    expect(messages(await examine('webhook'))).toEqual([
      'fail webhook: the webhook holds a secret that the functions do not know',
    ]);
    await admin.delete('/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/svk-dev', { signal });
    try {
      expect(messages(await examine('webhook'))).toEqual([
        'warn webhook: no webhook is configured: pods start up to a minute late',
      ]);
    } finally {
      await apply({});
    }
  });

  it.each([
    { is: 'A-06 a tunnel that answers 502', status: 502, text: 'Bad Gateway', why: 'through tunnels' },
    { is: 'a kubelet API that does not know the caller', status: 401, text: 'who?', why: 'does not know who asks' },
    {
      is: 'a kubelet API that refuses the caller',
      status: 403,
      text: 'Forbidden (user=kube-apiserver-kubelet-client)',
      why: 'does not know who asks',
    },
  ])('tells $is from a real logs call', async ({ status, text, why }) => {
    answer = { status, text };
    const [finding] = await examine('logs');
    expect(finding?.status).toBe('fail');
    expect(finding?.message).toContain(why);
  });
});
