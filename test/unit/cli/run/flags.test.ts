import { describe, expect, it } from 'vitest';
import { RUN_FLAGS } from '../../../../src/cli/run/run-flags.ts';
import { run, svk } from './svk-run.ts';

interface Row {
  readonly flag: string;
  readonly args: readonly string[];
  readonly gives: object;
}

/** One effect at least of every flag on what the process is told to do. */
const EFFECTS: readonly Row[] = [
  { flag: 'kubeconfig', args: ['--kubeconfig', '/k'], gives: { options: { kubeconfig: '/k' } } },
  {
    flag: 'credentials-parameter',
    args: ['--credentials-parameter', '/svk-system/dev/kubernetes'],
    gives: { options: { credentialsParameter: '/svk-system/dev/kubernetes' } },
  },
  { flag: 'cluster-domain', args: ['--cluster-domain=x.y'], gives: { options: { clusterDomain: 'x.y' } } },
  { flag: 'kube-api-qps', args: ['--kube-api-qps', '5'], gives: { options: { apiLimit: { qps: 5, burst: 10 } } } },
  {
    flag: 'kube-api-burst',
    args: ['--kube-api-qps', '5', '--kube-api-burst', '30'],
    gives: { options: { apiLimit: { qps: 5, burst: 30 } } },
  },
  { flag: 'nodename', args: ['--nodename', 'n1'], gives: { options: { nodeName: 'n1' } } },
  {
    flag: 'only',
    args: ['--provider', 'fargate', '--only', 'kubelet-api'],
    gives: { options: { only: 'kubelet-api', nodeName: '' } },
  },
  { flag: 'os', args: ['--os', 'windows'], gives: { options: { operatingSystem: 'windows' } } },
  {
    flag: 'provider',
    args: ['--provider', 'web'],
    gives: { provider: 'web', options: { taint: { key: 'virtual-kubelet.io/provider', value: 'web' } } },
  },
  { flag: 'taint', args: ['--taint', 'a/b'], gives: { options: { taint: { key: 'a/b', effect: 'NoSchedule' } } } },
  { flag: 'disable-taint', args: ['--disable-taint'], gives: { options: { taint: undefined } } },
  { flag: 'node-ip', args: ['--node-ip', '192.0.2.7'], gives: { options: { nodeIp: '192.0.2.7' } } },
  { flag: 'deployment', args: ['--deployment', 'dev'], gives: { options: { deployment: 'dev' } } },
  { flag: 'delete-node', args: ['--delete-node'], gives: { options: { deleteNode: true } } },
  { flag: 'pod-sync-workers', args: ['--pod-sync-workers', '3'], gives: { options: { podSyncWorkers: 3 } } },
  { flag: 'full-resync-period', args: ['--full-resync-period', '5m'], gives: { options: { fullResyncMs: 300_000 } } },
  {
    flag: 'listen',
    args: ['--listen', '127.0.0.1:0'],
    gives: { options: { listen: { host: '127.0.0.1', port: 0 } } },
  },
  {
    flag: 'tls-cert-file',
    args: ['--tls-cert-file', '/c', '--tls-private-key-file', '/p'],
    gives: { options: { certificates: { certificate: '/c' } } },
  },
  {
    flag: 'tls-private-key-file',
    args: ['--tls-cert-file', '/c', '--tls-private-key-file', '/p'],
    gives: { options: { certificates: { privateKey: '/p' } } },
  },
  {
    flag: 'serving-certificate',
    args: ['--serving-certificate', 'self-signed'],
    gives: { options: { serving: { kind: 'self-signed' } } },
  },
  {
    flag: 'certificate-signer',
    args: ['--certificate-signer', 'beta.eks.amazonaws.com/app-serving'],
    gives: { options: { serving: { kind: 'request', signerName: 'beta.eks.amazonaws.com/app-serving' } } },
  },
  { flag: 'cert-dir', args: ['--cert-dir', '/certs'], gives: { options: { serving: { folder: '/certs' } } } },
  {
    flag: 'client-ca-file',
    args: ['--client-ca-file', '/ca'],
    gives: { options: { certificates: { clientAuthority: '/ca' } } },
  },
  {
    flag: 'insecure-allow-anonymous',
    args: ['--insecure-allow-anonymous'],
    gives: { options: { insecureAllowAnonymous: true } },
  },
  { flag: 'extend-websockets', args: ['--extend-websockets=false'], gives: { options: { extendWebSockets: false } } },
  {
    flag: 'stream-idle-timeout',
    args: ['--stream-idle-timeout', '10m'],
    gives: { options: { streams: { idleTimeoutMs: 600_000 } } },
  },
  {
    flag: 'stream-creation-timeout',
    args: ['--stream-creation-timeout', '5s'],
    gives: { options: { streams: { creationTimeoutMs: 5_000 } } },
  },
  { flag: 'state', args: ['--state', 'memory'], gives: { options: { state: { kind: 'memory' } } } },
  {
    flag: 'metrics-addr',
    args: ['--metrics-addr', ':9090'],
    gives: { options: { metrics: { host: '', port: 9_090, isRequired: true } } },
  },
  { flag: 'trace-exporter', args: ['--trace-exporter', 'otlp'], gives: { trace: { exporters: ['otlp'] } } },
  { flag: 'trace-service-name', args: ['--trace-service-name', 's'], gives: { trace: { serviceName: 's' } } },
  {
    flag: 'trace-tag',
    args: ['--trace-tag', 'a=1', '--trace-tag', 'b=2'],
    gives: { trace: { tags: { a: '1', b: '2' } } },
  },
  { flag: 'trace-sample-rate', args: ['--trace-sample-rate', '10'], gives: { trace: { sampleRatio: 0.1 } } },
  { flag: 'startup-timeout', args: ['--startup-timeout', '10s'], gives: { options: { startupTimeoutMs: 10_000 } } },
  { flag: 'shutdown-timeout', args: ['--shutdown-timeout', '1s'], gives: { options: { shutdownMs: 1_000 } } },
];

/** Shown elsewhere: by a file, the environment, the log, or by their warning. */
const SHOWN_BELOW = ['provider-config', 'state-table', 'log-format', 'klog.v'];

it('every flag has a row, a test below, or is one that only warns', () => {
  const shown = new Set([...EFFECTS.map(({ flag }) => flag), ...SHOWN_BELOW]);
  const silent = RUN_FLAGS.filter(({ name, deprecated }) => !shown.has(name) && deprecated === undefined);
  expect(silent.map(({ name }) => name)).toEqual([]);
});

it.each(EFFECTS)('--$flag', async ({ args, gives }) => {
  const { request, code, err } = await run(args);
  expect([code, err.includes('svk: ')]).toEqual([0, false]);
  expect(request).toMatchObject(gives);
});

it('has the defaults of virtual-kubelet', async () => {
  const { request } = await run([]);
  expect(request).toMatchObject({
    provider: 'mock',
    providerConfig: undefined,
    trace: { exporters: [], serviceName: 'virtual-kubelet', tags: {} },
    options: {
      kubeconfig: '/home/ann/.kube/config',
      nodeName: 'virtual-kubelet',
      operatingSystem: 'linux',
      clusterDomain: 'cluster.local',
      taint: { key: 'virtual-kubelet.io/provider', value: 'mock', effect: 'NoSchedule' },
      podSyncWorkers: 10,
      fullResyncMs: 60_000,
      startupTimeoutMs: 0,
      shutdownMs: 20_000,
      deleteNode: false,
      listen: { host: '', port: 10_250 },
      nodeIp: undefined,
      certificates: { certificate: undefined, privateKey: undefined, clientAuthority: undefined },
      serving: { kind: 'request', signerName: 'kubernetes.io/kubelet-serving', folder: undefined },
      insecureAllowAnonymous: false,
      apiLimit: undefined,
      state: { kind: 'memory' },
      metrics: { host: '', port: 10_255, isRequired: false },
      // Half a minute would cut off everybody who reads what he has typed: kubelet's four hours instead.
      streams: { idleTimeoutMs: 14_400_000, creationTimeoutMs: 30_000 },
    },
  });
});

describe('variables', () => {
  it.each([
    ['KUBECONFIG', '/k', { kubeconfig: '/k' }],
    ['DEFAULT_NODE_NAME', 'n1', { nodeName: 'n1' }],
    ['KUBELET_PORT', '10260', { listen: { host: '', port: 10_260 } }],
    ['VKUBELET_POD_IP', '192.0.2.7', { nodeIp: '192.0.2.7' }],
    ['VKUBELET_TAINT_KEY', 'a/b', { taint: { key: 'a/b', value: 'mock', effect: 'NoSchedule' } }],
    ['VKUBELET_TAINT_VALUE', 'v', { taint: { key: 'virtual-kubelet.io/provider', value: 'v' } }],
    ['VKUBELET_TAINT_VALUE', '', { taint: { value: '' } }],
    ['VKUBELET_TAINT_EFFECT', 'NoExecute', { taint: { effect: 'NoExecute' } }],
    ['APISERVER_CA_CERT_LOCATION', '/ca', { certificates: { clientAuthority: '/ca' } }],
    ['SVK_SERVING_CERTIFICATE', 'self-signed', { serving: { kind: 'self-signed' } }],
    ['SVK_CERTIFICATE_SIGNER', 'a.b/c', { serving: { kind: 'request', signerName: 'a.b/c' } }],
    ['SVK_DEPLOYMENT', 'dev', { deployment: 'dev' }],
    ['KUBECONFIG', '', { kubeconfig: '/home/ann/.kube/config' }],
    ['VKUBELET_POD_IP', '', { nodeIp: undefined }],
  ])('%s=%s', async (name, value, options) => {
    expect((await run([], { [name]: value })).request).toMatchObject({ options });
  });

  it('name the key pair', async () => {
    const environment = { APISERVER_CERT_LOCATION: '/c', APISERVER_KEY_LOCATION: '/p' };
    expect((await run([], environment)).request).toMatchObject({
      options: { certificates: { certificate: '/c', privateKey: '/p' } },
    });
  });

  it('give way to the command line, but for the taint, which virtual-kubelet has the other way round', async () => {
    const environment = { DEFAULT_NODE_NAME: 'env', KUBELET_PORT: '1', VKUBELET_TAINT_KEY: 'env/key' };
    const args = ['--nodename', 'flag', '--listen', ':2', '--taint', 'flag/key'];
    expect((await run(args, environment)).request).toMatchObject({
      options: { nodeName: 'flag', listen: { port: 2 }, taint: { key: 'env/key' } },
    });
  });

  it('place the rows in a table', async () => {
    const environment = { AWS_REGION: 'eu-west-1', SVK_TABLE: 'svk-dev' };
    expect((await run(['--state', 'dynamodb'], environment)).request).toMatchObject({
      options: { state: { kind: 'dynamodb', table: 'svk-dev', region: 'eu-west-1' } },
    });
    expect((await run(['--state', 'dynamodb', '--state-table', 'other'], environment)).request).toMatchObject({
      options: { state: { table: 'other' } },
    });
  });
});

describe('switches', () => {
  it.each([
    [['--delete-node'], true],
    [['--delete-node=true'], true],
    [['--delete-node=false'], false],
    [['--delete-node', '--delete-node=F'], false],
  ])('%j', async (args, on) => {
    expect((await run(args)).request).toMatchObject({ options: { deleteNode: on } });
  });

  it('do not eat the flag that follows', async () => {
    const { request } = await run(['--disable-taint', '--os', 'windows']);
    expect(request).toMatchObject({ options: { taint: undefined, operatingSystem: 'windows' } });
  });
});

it('the last of several counts', async () => {
  expect((await run(['--nodename', 'a', '--nodename', 'b'])).request).toMatchObject({ options: { nodeName: 'b' } });
});

it.each(['', '0'])('--metrics-addr "%s" serves nothing', async (address) => {
  const { code, request } = await run(['--metrics-addr', address]);
  expect([code, request?.options.metrics]).toEqual([0, undefined]);
});

describe('deprecated flags', () => {
  it.each([
    [['--namespace', 'x'], '--namespace is deprecated: it has no effect: the pods bound to the node are served'],
    [['--enable-node-lease'], '--enable-node-lease is deprecated: it has no effect: the node always has a lease'],
    [['--taint', 'a/b'], '--taint is deprecated: set VKUBELET_TAINT_KEY instead'],
    [['--klog.v', '2'], '--klog.v is deprecated: use --log-level; 4 and above stand for debug'],
    [['--klog.logtostderr'], '--klog.logtostderr is deprecated: it has no effect'],
    [['--klog.vmodule=a=1'], '--klog.vmodule is deprecated: it has no effect'],
  ])('%j warns, and runs', async (args, warning) => {
    const { code, err } = await run(args);
    expect(code).toBe(0);
    expect(err).toContain(warning);
  });

  it('are not shown', async () => {
    const { out } = await svk(['run', '--help']);
    const shown = RUN_FLAGS.filter(({ name }) => out.includes(`--${name} `));
    expect(shown.some(({ deprecated }) => deprecated !== undefined)).toBe(false);
    expect(shown).toHaveLength(RUN_FLAGS.filter(({ deprecated }) => deprecated === undefined).length);
  });
});
