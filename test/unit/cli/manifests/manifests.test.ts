import { PutParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { type AwsEmulator, startAwsEmulator } from '../../../../infra/local/aws/emulator.ts';
import { SimulatedRuntime } from '../../../../infra/local/runtimes/simulated/simulated-runtime.ts';
import type { Manifest } from '../../../../src/cli/manifests/manifest.ts';
import { type ManifestsOptions, printManifests } from '../../../../src/cli/manifests/print-manifests.ts';
import { FakeClock } from '../../../fakes/clock.ts';

const URL = 'https://abc.execute-api.eu-central-1.amazonaws.com/admission/0123456789abcdef0123456789abcdef';
const offline: ManifestsOptions = {
  deployment: 'dev',
  nodes: 'fargate',
  identity: 'serviceaccount',
  namespace: 'svk-system',
  for: 'functions',
  certificates: false,
  certificateSigner: 'kubernetes.io/kubelet-serving',
  admissionUrl: URL,
  push: true,
  output: 'json',
};

const VARIABLES = {
  AWS_REGION: 'eu-central-1',
  SVK_TABLE: 'svk-dev',
  SVK_ECS_CLUSTER: 'arn:aws:ecs:eu-central-1:123456789012:cluster/svk-dev',
  SVK_LOG_GROUP: '/svk/dev/pods',
  SVK_EXECUTION_ROLE_ARN: 'arn:aws:iam::123456789012:role/execution',
  SVK_SETTINGS: '{"deployment":"dev"}',
};

const print = async (options: Partial<ManifestsOptions>, environment: Record<string, string> = {}): Promise<string> => {
  const lines: string[] = [];
  await printManifests({ ...offline, ...options }, { environment, print: (line) => void lines.push(line) });
  return lines.join('\n');
};
const manifests = async (options: Partial<ManifestsOptions>): Promise<readonly Manifest[]> => {
  const { items } = JSON.parse(await print(options)) as { items: readonly Manifest[] };
  return items;
};
const names = (items: readonly Manifest[]): string[] =>
  items.map(({ kind, metadata }) => `${kind} ${metadata.namespace ? `${metadata.namespace}/` : ''}${metadata.name}`);

/** `group/resource[names] verbs` of every rule in all roles. */
const rules = (items: readonly Manifest[]): string[] =>
  items
    .filter(({ kind }) => kind === 'ClusterRole' || kind === 'Role')
    .flatMap(({ rules }) => rules as readonly { [key: string]: readonly string[] }[])
    .map(({ apiGroups, resources, resourceNames, verbs }) =>
      [apiGroups?.join(), resources?.join(), resourceNames?.join() ?? '*', verbs?.join()].join(' ').trimStart(),
    );

describe('svk manifests', () => {
  it('gives a service account with a token that lasts, and the least it works with', async () => {
    const items = await manifests({});
    expect(names(items)).toEqual([
      'Namespace svk-system',
      'ServiceAccount svk-system/svk-dev',
      'Secret svk-system/svk-dev',
      'ClusterRole svk-dev',
      'ClusterRoleBinding svk-dev',
      'Role kube-node-lease/svk-dev',
      'RoleBinding kube-node-lease/svk-dev',
      'RuntimeClass fargate',
      'ValidatingWebhookConfiguration svk-dev',
    ]);
    expect(rules(items)).toEqual([
      'nodes * create',
      'nodes fargate get,patch',
      'nodes/status fargate patch',
      'pods * get,list,delete',
      'pods/status * patch',
      'configmaps * get',
      'services * get,list',
      'events * create',
      'namespaces kube-system get',
      'authentication.k8s.io tokenreviews * create',
      'authorization.k8s.io subjectaccessreviews * create',
      'coordination.k8s.io leases * create',
      'coordination.k8s.io leases fargate get,update,patch',
    ]);
    expect(items[4]?.['subjects']).toEqual([{ kind: 'ServiceAccount', name: 'svk-dev', namespace: 'svk-system' }]);
  });

  it('grants Secrets and tokens in the namespaces named, and nowhere else', async () => {
    const items = await manifests({ namespaces: 'shop, bank' });
    const granted = items.filter(({ kind, metadata }) => kind === 'Role' && metadata.namespace !== 'kube-node-lease');
    expect(names(granted)).toEqual(['Role shop/svk-dev', 'Role bank/svk-dev']);
    expect(rules(granted.slice(0, 1))).toEqual(['secrets * get', 'serviceaccounts/token * create']);
    expect(rules(items.filter(({ kind }) => kind === 'ClusterRole')).join()).not.toContain('secrets');
  });

  it('gives a process what it watches, and its node to end; no webhook', async () => {
    const items = await manifests({ for: 'process' });
    expect(rules(items)).toEqual(
      expect.arrayContaining(['nodes fargate get,patch,delete', 'pods * get,list,watch,delete']),
    );
    expect(rules(items)).toContain('services * get,list,watch');
    expect(rules(items)).toContain('certificates.k8s.io certificatesigningrequests svk-fargate-serving get,delete');
    expect(names(items)).not.toContain('ValidatingWebhookConfiguration svk-dev');
  });

  it('gives a node only what the Node authorizer does not', async () => {
    const items = await manifests({ identity: 'node', namespaces: 'shop', certificates: true });
    expect(names(items)).toEqual([
      'ClusterRole svk-dev',
      'ClusterRoleBinding svk-dev',
      'RuntimeClass fargate',
      'ValidatingWebhookConfiguration svk-dev',
    ]);
    expect(rules(items)).toEqual([
      'namespaces kube-system get',
      'certificates.k8s.io certificatesigningrequests svk-fargate-serving delete',
    ]);
    expect(items[1]?.['subjects']).toEqual([
      { kind: 'User', name: 'system:node:fargate', apiGroup: 'rbac.authorization.k8s.io' },
    ]);
  });

  it('gives a group, for access entries of EKS', async () => {
    const items = await manifests({ identity: 'group', certificates: true });
    expect(names(items)).not.toContain('ServiceAccount svk-system/svk-dev');
    expect(items[1]?.['subjects']).toEqual([{ kind: 'Group', name: 'svk-dev', apiGroup: 'rbac.authorization.k8s.io' }]);
    expect(rules(items)).toEqual(
      expect.arrayContaining([
        'certificates.k8s.io certificatesigningrequests * create',
        'certificates.k8s.io certificatesigningrequests svk-fargate-serving get,delete',
      ]),
    );
  });

  it('ships a runtime class that selects and tolerates the node', async () => {
    const runtimeClass = (await manifests({})).find(({ kind }) => kind === 'RuntimeClass');
    expect(runtimeClass).toEqual({
      apiVersion: 'node.k8s.io/v1',
      kind: 'RuntimeClass',
      metadata: { name: 'fargate' },
      handler: 'fargate',
      scheduling: {
        nodeSelector: { type: 'virtual-kubelet', 'eks.amazonaws.com/compute-type': 'fargate' },
        tolerations: [
          { key: 'virtual-kubelet.io/provider', operator: 'Equal', value: 'fargate', effect: 'NoSchedule' },
        ],
      },
    });
  });

  it('prints YAML that says the same', async () => {
    const documents = parseAllDocuments(await print({ output: 'yaml' }));
    expect(documents.map((document) => document.toJS() as unknown)).toEqual(await manifests({}));
  });

  it.each([
    [{ identity: 'root' }, '--identity is "root": give one of serviceaccount, group, node'],
    [{ for: 'me' }, '--for is "me": give one of functions, process'],
    [{ output: 'xml' }, '--output is "xml": give one of yaml, json'],
    [{ nodes: ' ' }, '--nodes names no node'],
    [{ nodes: "a,b'" }, `--nodes: "b'" is no name of a node`],
    [{ gatewayRole: 'arn:aws:iam::123456789012:role/x' }, '--gateway-role needs --gateway'],
    [{ nodes: 'a,b', identity: 'node' }, '--identity node is for one node, and this deployment has 2'],
  ])('refuses %j', async (options, message) => {
    await expect(print(options)).rejects.toThrow(message);
  });
});

describe('svk manifests of a deployment that is there', () => {
  let aws: AwsEmulator;
  let environment: Record<string, string>;
  const asked: Partial<ManifestsOptions> = { output: 'json' };
  const { nodes: _nodes, admissionUrl: _url, ...online } = offline;

  beforeAll(async () => {
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'test');
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test');
    const clock = new FakeClock();
    aws = await startAwsEmulator({ region: 'eu-central-1', runtime: new SimulatedRuntime(clock), clock });
    environment = { AWS_REGION: 'eu-central-1', AWS_ENDPOINT_URL_SSM: aws.url };
    const ssm = new SSMClient({ region: 'eu-central-1', endpoint: aws.url });
    const put = (Name: string, Value: string, Type: 'String' | 'SecureString') =>
      ssm.send(new PutParameterCommand({ Name, Value, Type }));
    const admissionUrl = 'https://abc.execute-api.eu-central-1.amazonaws.com/admission/';
    await put('/svk-system/dev/deployment', JSON.stringify({ nodes: ['on-demand', 'spot'], admissionUrl }), 'String');
    await put('/svk-system/dev/admission', `${'a'.repeat(32)} ${'b'.repeat(32)}`, 'SecureString');
    await put('/svk-system/bare/deployment', JSON.stringify({ nodes: ['fargate'], admissionUrl }), 'String');
    await put('/svk-system/dev/gateway', JSON.stringify(VARIABLES), 'String');
    await put('/svk-system/odd/gateway', '{}', 'String');
    await put('/svk-system/odd/deployment', '{"nodes":[]}', 'String');
    await put('/svk-system/odd/admission', 'c'.repeat(32), 'SecureString');
    ssm.destroy();
  });
  afterAll(async () => {
    vi.unstubAllEnvs();
    await aws.close();
  });
  const ask = async (options: Partial<ManifestsOptions>): Promise<readonly Manifest[]> => {
    const lines: string[] = [];
    const context = { environment, print: (line: string) => void lines.push(line) };
    await printManifests({ ...online, ...asked, ...options }, context);
    return (JSON.parse(lines.join('\n')) as { items: readonly Manifest[] }).items;
  };

  it('asks the stack for its nodes and its webhook, and Parameter Store for the current secret', async () => {
    const items = await ask({});
    expect(rules(items)).toContain('nodes on-demand,spot get,patch');
    const webhooks = items.at(-1)?.['webhooks'] as readonly { clientConfig: { url: string } }[];
    expect(webhooks.map(({ clientConfig }) => clientConfig.url)).toEqual([
      'https://abc.execute-api.eu-central-1.amazonaws.com/admission/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa',
      'https://abc.execute-api.eu-central-1.amazonaws.com/admission/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa',
    ]);
  });

  it('gives a stream gateway a role of its own, the stack’s variables, and no way to change a pod', async () => {
    const gateway = 'registry.example/svk:1';
    const all = await ask({ gateway, gatewayRole: 'arn:aws:iam::123456789012:role/gateway', namespaces: 'shop' });
    const items = all.filter(({ metadata }) => metadata.name === 'svk-dev-gateway');
    expect(names(items)).toEqual([
      'ServiceAccount svk-system/svk-dev-gateway',
      'ClusterRole svk-dev-gateway',
      'ClusterRoleBinding svk-dev-gateway',
      'Role default/svk-dev-gateway',
      'RoleBinding default/svk-dev-gateway',
      'Role kube-system/svk-dev-gateway',
      'RoleBinding kube-system/svk-dev-gateway',
      'ConfigMap svk-system/svk-dev-gateway',
      'Deployment svk-system/svk-dev-gateway',
    ]);
    expect(rules(items)).toEqual([
      'nodes on-demand,spot get,patch',
      'nodes/status on-demand,spot patch',
      'pods * get,list',
      'namespaces kube-system get',
      'authentication.k8s.io tokenreviews * create',
      'authorization.k8s.io subjectaccessreviews * create',
      'certificates.k8s.io certificatesigningrequests * create',
      'certificates.k8s.io certificatesigningrequests svk-on-demand-serving,svk-spot-serving get,delete',
      'events * create',
      'configmaps extension-apiserver-authentication get',
    ]);
    expect(items[0]?.metadata['annotations']).toEqual({
      'eks.amazonaws.com/role-arn': 'arn:aws:iam::123456789012:role/gateway',
    });
    expect(items.find(({ kind }) => kind === 'ConfigMap')?.['data']).toEqual(VARIABLES);
    const deployment = JSON.stringify(items.at(-1));
    for (const part of [
      '"image":"registry.example/svk:1"',
      '"--only=kubelet-api"',
      '"runAsNonRoot":true',
      '"readOnlyRootFilesystem":true',
      '"containerPort":10250',
      '"containerPort":10251',
      '"replicas":1',
      '"type":"Recreate"',
    ])
      expect(deployment).toContain(part);
  });

  it.each([
    ['bare', 'there is no SSM parameter /svk-system/bare/gateway in eu-central-1: deploy "bare" with this version'],
    ['odd', 'SSM parameter /svk-system/odd/gateway is not what this version of the stack writes: deploy again'],
  ])('says what is missing of the gateway of %s', async (deployment, message) => {
    await expect(ask({ deployment, nodes: 'fargate', push: false, gateway: 'x' })).rejects.toThrow(message);
  });

  it.each([
    ['none', 'there is no deployment "none" in eu-central-1'],
    ['bare', 'run `svk credentials webhook-secret --deployment bare`, or give --no-push'],
    ['odd', 'SSM parameter /svk-system/odd/deployment is not what this version of the stack writes: deploy again'],
  ])('says what is missing of deployment %s', async (deployment, message) => {
    await expect(ask({ deployment })).rejects.toThrow(message);
  });
});
