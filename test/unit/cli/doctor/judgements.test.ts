import { describe, expect, it } from 'vitest';
import { judgeClocks } from '../../../../src/cli/doctor/checks/clock.ts';
import { judgeSameCluster } from '../../../../src/cli/doctor/checks/cluster.ts';
import { judgeConcurrency } from '../../../../src/cli/doctor/checks/concurrency.ts';
import { judgeCredentials } from '../../../../src/cli/doctor/checks/credentials.ts';
import { explainLogs } from '../../../../src/cli/doctor/checks/logs.ts';
import { judgeNode } from '../../../../src/cli/doctor/checks/nodes.ts';
import { judgeRights, wantedRights } from '../../../../src/cli/doctor/checks/rights.ts';
import { judgeRole } from '../../../../src/cli/doctor/checks/task-resources.ts';
import { judgeVcpus } from '../../../../src/cli/doctor/checks/vcpu.ts';
import { judgeWebhook } from '../../../../src/cli/doctor/checks/webhook.ts';

const NOW = Date.parse('2030-01-01T00:00:00Z');

describe('the clocks', () => {
  it.each([
    [0, 'pass', 'AWS and the cluster agree on the time'],
    [-29_999, 'pass', 'AWS and the cluster agree on the time'],
    [30_000, 'warn', "the control plane's clock is 30 s ahead of AWS's: ages and back-offs look wrong"],
    [-299_000, 'warn', "the control plane's clock is 299 s behind AWS's: ages and back-offs look wrong"],
    [300_000, 'fail', "the control plane's clock is 300 s ahead of AWS's: tokens and certificates are refused"],
  ])('%i ms apart: %s', (ahead, status, message) => {
    expect(judgeClocks(ahead)).toMatchObject({ status, message });
  });
});

describe('concurrent executions', () => {
  const deploy = 'npx serverless deploy --stage dev --param';
  it.each([
    { of: 'a new account with four workers', facts: [10, 10, undefined, 4], status: 'pass' },
    {
      of: 'a new account with eight workers',
      facts: [10, 10, undefined, 8],
      status: 'fail',
      fix: `${deploy} workerConcurrency=4, or ask`,
    },
    {
      of: 'workers without a limit',
      facts: [50, 50, undefined, undefined],
      status: 'fail',
      fix: `${deploy} workerConcurrency=4, or ask`,
    },
    {
      of: 'four workers, where other functions have reserved the rest',
      facts: [100, 9, undefined, 4],
      status: 'fail',
      fix: `${deploy} workerConcurrency=4, or ask`,
    },
    {
      of: 'an account of 110 that keeps nothing for the heartbeat',
      facts: [110, 110, undefined, 8],
      status: 'warn',
      fix: `${deploy} heartbeatConcurrency=10`,
    },
    { of: 'an account of 1000 that keeps ten', facts: [1000, 990, 10, 100], status: 'pass' },
    {
      of: 'a heartbeat that somebody has switched off',
      facts: [1000, 1000, 0, 4],
      status: 'fail',
      fix: `${deploy} heartbeatConcurrency=10`,
    },
  ] as const)('$of: $status', ({ facts: [limit, unreserved, heartbeatReserved, workers], status, ...more }) => {
    const finding = judgeConcurrency({ limit, unreserved, heartbeatReserved, workers }, 'dev');
    expect(finding.status).toBe(status);
    if ('fix' in more) expect(finding.fix).toContain(more.fix);
  });
});

describe('vCPUs', () => {
  it('of all nodes of a kind are held against the quota of that kind', () => {
    const nodes = [
      { name: 'a', cpu: '4', isSpot: false },
      { name: 'b', cpu: '2500m', isSpot: false },
      { name: 'c', cpu: '100', isSpot: true },
    ];
    expect(judgeVcpus(nodes, { onDemand: 6, spot: 100 })).toEqual([
      {
        status: 'warn',
        message: 'a, b: 6.5 vCPU are offered, and the account may use 6 (on demand): pods beyond stay Pending',
        fix: 'ask for more (Service Quotas, Fargate, L-3032A538), or lower capacity.cpu in the settings',
      },
      { status: 'pass', message: 'c: 100 vCPU of the 100 the account may use (Spot)' },
    ]);
  });

  it('of a kind nobody uses are not looked at', () => {
    expect(judgeVcpus([{ name: 'a', cpu: '1', isSpot: false }], { onDemand: 6, spot: 0 })).toHaveLength(1);
  });
});

describe('the rights of the functions', () => {
  const wanted = wantedRights(['fargate', 'spot'], ['shop']);
  it('are asked for one by one: by node, by subresource, and Secrets in the granted namespaces alone', () => {
    expect(wanted).toContainEqual({ group: '', resource: 'nodes', subresource: 'status', verb: 'patch', name: 'spot' });
    expect(wanted).toContainEqual({
      group: 'coordination.k8s.io',
      resource: 'leases',
      verb: 'update',
      name: 'fargate',
      namespace: 'kube-node-lease',
    });
    expect(wanted.filter(({ resource }) => resource === 'secrets')).toEqual([
      { group: '', resource: 'secrets', verb: 'get', namespace: 'shop' },
    ]);
  });

  it('that are missing are named, with the command that gives them', () => {
    const missing = [
      { group: '', resource: 'nodes', subresource: 'status', verb: 'patch', name: 'spot' },
      { group: '', resource: 'serviceaccounts', subresource: 'token', verb: 'create', namespace: 'shop' },
    ];
    expect(judgeRights(missing, 30, 'svk manifests --deployment dev')).toEqual({
      status: 'fail',
      message: 'the functions lack 2 of 30 rights: patch nodes/status spot, create serviceaccounts/token in shop',
      fix: 'svk manifests --deployment dev | kubectl apply -f -',
    });
    expect(judgeRights([], 30, '').status).toBe('pass');
  });
});

describe('the webhook', () => {
  const conditions = ["object.target.name in ['a', 'b']", "x in ['a', 'b']"];
  const expected = { nodes: ['a', 'b'], secrets: ['new', 'old'], apply: 'svk manifests' };
  it.each([
    ['https://x/admission/new', conditions, []],
    ['https://x/admission/old', conditions, []],
    ['https://x/admission/gone', conditions, ['the webhook holds a secret that the functions do not know']],
    ['https://x/admission/new', ["x in ['a']"], ['the webhook does not tell of pods on b']],
    ['https://x/admission/new', ["x in ['a', 'b2']"], ['the webhook does not tell of pods on b']],
  ])('at %s with %j: %j', (url, given, messages) => {
    const faults = judgeWebhook({ urls: [url], conditions: given }, expected);
    expect(faults.map(({ message }) => message)).toEqual(messages);
    for (const fault of faults) expect(JSON.stringify(fault)).not.toContain('/admission/');
  });
});

describe('stored credentials', () => {
  const set = 'svk credentials set --deployment dev';
  const token = (exp: number): string =>
    ['{"alg":"RS256"}', JSON.stringify({ exp }), 'x'].map((part) => Buffer.from(part).toString('base64url')).join('.');
  const server = 'https://k8s.example:6443';
  it.each([
    [{ server, token: 'opaque' }, 'pass', 'that do not end'],
    [{ server, token: token(NOW / 1_000 + 30 * 86_400) }, 'pass', 'that last 30 days'],
    [{ server, token: token(NOW / 1_000 + 13 * 86_400) }, 'warn', 'end in 13 days'],
    [{ server, token: token(NOW / 1_000 + 3_600) }, 'fail', 'end at 2030-01-01T01:00:00.000Z'],
    [{ server }, 'fail', 'neither a token nor a client certificate'],
    [{ server: 'https://127.0.0.1:6443', token: 'opaque' }, 'fail', 'which no function reaches'],
    [{ server, eks: { cluster: 'prod', region: 'eu-west-1' } }, 'pass', 'EKS cluster prod'],
  ])('%#: %s', (credentials, status, part) => {
    const finding = judgeCredentials(credentials, NOW, set);
    expect(finding.status).toBe(status);
    expect(finding.message).toContain(part);
    if (status === 'fail') expect(finding.fix).toBe(`${set} --service-account`);
    expect(JSON.stringify(finding)).not.toContain('opaque');
  });

  it('of another cluster than the operator looks at are told', () => {
    expect(judgeSameCluster('a', 'a', 'dev').status).toBe('pass');
    expect(judgeSameCluster('a', 'b', 'dev')).toMatchObject({
      status: 'fail',
      message: 'the functions use another cluster than this kubeconfig',
    });
  });
});

describe('the execution role', () => {
  it.each([
    [['ecs-tasks.amazonaws.com'], 'pass'],
    [['lambda.amazonaws.com'], 'fail'],
    [undefined, 'fail'],
  ])('that trusts %j: %s', (trust, status) => {
    expect(judgeRole('arn:aws:iam::123456789012:role/x', trust, 'deploy').status).toBe(status);
  });
});

describe('a node', () => {
  const node = (ready: string, extra: object = {}) => ({
    metadata: { name: 'a', annotations: { 'svk.dev/deployment': 'dev' } },
    status: { conditions: [{ type: 'Ready', status: ready, reason: 'Because', message: 'of this' }] },
    ...extra,
  });
  const lease = (seconds: number) => ({
    spec: { renewTime: new Date(NOW - seconds * 1_000).toISOString().replace('Z', '000Z') },
  });
  const judged = (given: Partial<Parameters<typeof judgeNode>[0]>): readonly (readonly string[])[] =>
    judgeNode({ name: 'a', node: node('True'), lease: lease(9), deployment: 'dev', now: NOW, ...given }).map(
      ({ status, message }) => [status, message],
    );
  it.each([
    [
      {},
      [
        ['pass', 'node a is Ready'],
        ['pass', 'the lease of a was renewed 9 s ago'],
      ],
    ],
    [
      { lease: lease(25) },
      [
        ['pass', 'node a is Ready'],
        ['warn', 'the lease of a was renewed 25 s ago, not within 10 s: beats do not arrive'],
      ],
    ],
    [
      { node: node('Unknown'), lease: lease(41) },
      [
        ['fail', 'node a is not Ready: Because: of this'],
        ['fail', 'the lease of a was renewed 41 s ago: the control plane gives the node up'],
      ],
    ],
    [
      { lease: undefined },
      [
        ['pass', 'node a is Ready'],
        ['fail', 'node a has no lease'],
      ],
    ],
    [
      { node: node('True', { spec: { unschedulable: true } }) },
      [
        ['warn', 'node a is Ready and cordoned: nothing is scheduled to it'],
        ['pass', 'the lease of a was renewed 9 s ago'],
      ],
    ],
    [{ node: undefined }, [['fail', 'node a is not registered']]],
    [{ deployment: 'prod' }, [['fail', 'node a belongs to deployment dev']]],
    [{ node: { metadata: { name: 'a' } } }, [['fail', 'node a belongs to nobody we know']]],
  ])('%#', (given, findings) => {
    expect(judged(given)).toEqual(findings);
  });
});

describe('why kubectl logs fails', () => {
  it.each([
    {
      id: 'A-06',
      message:
        'Get "https://10.0.0.5:10250/containerLogs/d/p/c": proxy error from 127.0.0.1:6443 while dialing 10.0.0.5:10250, code 502: 502 Bad Gateway',
      fix: 'k3s and RKE2: start the server with --egress-selector-mode=disabled',
    },
    {
      id: 'A-01',
      message:
        'Get "https://x.execute-api.eu-west-1.amazonaws.com:443/containerLogs/d/p/c": tls: failed to verify certificate: x509: certificate signed by unknown authority',
      fix: 'use the stream gateway, whose certificate the cluster signs',
    },
    {
      id: 'A-05',
      message: 'Get "https://vk-a:10250/containerLogs/d/p/c": dial tcp: lookup vk-a on 10.96.0.10:53: no such host',
      fix: 'put InternalDNS or Hostname first in --kubelet-preferred-address-types',
    },
    {
      id: 'A-05',
      message: 'Get "https://203.0.113.7:443/containerLogs/d/p/c": dial tcp 203.0.113.7:443: i/o timeout',
      fix: 'let it out to TCP 443',
    },
    { id: 'A-04', message: 'GET /api/v1/…/log: Unauthorized', fix: 'deploy with --param domainName=…' },
    { id: 'D-01', message: 'GET /api/v1/…/log: something new', fix: 'see the log of function kubelet-api' },
  ])('$id $message', ({ message, fix }) => {
    const finding = explainLogs(message);
    expect(finding.status).toBe('fail');
    expect(finding.message).toContain(message);
    expect(finding.fix).toContain(fix);
  });
});
