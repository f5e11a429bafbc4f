import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  CreateClusterCommand,
  ECSClient,
  ListTasksCommand,
  RegisterTaskDefinitionCommand,
  RunTaskCommand,
} from '@aws-sdk/client-ecs';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type AwsEmulator, startAwsEmulator } from '../../../../infra/local/aws/emulator.ts';
import { type EmbeddedKubernetes, startEmbeddedKubernetes } from '../../../../infra/local/kubernetes/server.ts';
import { SimulatedRuntime } from '../../../../infra/local/runtimes/simulated/simulated-runtime.ts';
import { KubernetesClient } from '../../../../src/adapters/kubernetes/kubernetes-client.ts';
import { corePath, leasePath, nodePath } from '../../../../src/adapters/kubernetes/paths.ts';
import { SystemClock } from '../../../../src/adapters/system/system-clock.ts';
import { type RemoveOptions, removeDeployment } from '../../../../src/cli/remove/remove-deployment.ts';
import { ignoreNotFound } from '../../../../src/core/errors.ts';
import type { Node, Pod } from '../../../../src/model/kubernetes.ts';

const { signal } = new AbortController();
const REGION = 'eu-central-1';
let folder: string;
let kubernetes: EmbeddedKubernetes;
let client: KubernetesClient;
let aws: AwsEmulator;
let ecs: ECSClient;

beforeEach(async () => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'test');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test');
  folder = await mkdtemp(path.join(tmpdir(), 'svk-remove-'));
  kubernetes = await startEmbeddedKubernetes({ directory: folder });
  const { url: server, certificateAuthority, token } = kubernetes;
  const clock = new SystemClock();
  client = new KubernetesClient({ server, certificateAuthority, token }, { clock });
  aws = await startAwsEmulator({ region: REGION, runtime: new SimulatedRuntime(clock), clock });
  ecs = new ECSClient({ region: REGION, endpoint: aws.url });
  await ecs.send(new CreateClusterCommand({ clusterName: 'svk-dev', capacityProviders: ['FARGATE'] }));
  for (const [name, deployment] of [
    ['fargate', 'dev'],
    ['other', 'prod'],
  ] as const) {
    const metadata = { name, annotations: { 'svk.dev/deployment': deployment } };
    await client.create(nodePath(), { metadata, status: { capacity: { pods: '10' } } }, { signal });
    await client.create(leasePath(), { metadata: { name }, spec: { holderIdentity: name } }, { signal });
  }
});
afterEach(async () => {
  vi.unstubAllEnvs();
  client.close();
  ecs.destroy();
  await Promise.all([kubernetes.close(), aws.close()]);
  await rm(folder, { recursive: true });
});

const remove = async (options: Partial<RemoveOptions> = {}): Promise<readonly string[]> => {
  const lines: string[] = [];
  const environment = { AWS_REGION: REGION, AWS_ENDPOINT_URL_ECS: aws.url };
  await removeDeployment(
    {
      deployment: 'dev',
      nodes: 'fargate',
      kubeconfig: kubernetes.kubeconfigPath,
      force: false,
      timeout: '5',
      ...options,
    },
    { environment, print: (line) => void lines.push(line) },
  );
  return lines;
};

const createPod = (name: string): Promise<Pod> =>
  client.create<Pod>(
    corePath('default', 'pods'),
    { metadata: { name }, spec: { nodeName: 'fargate', containers: [{ name: 'main', image: 'busybox' }] } },
    { signal },
  );
const find = <T>(at: string): Promise<T | undefined> => ignoreNotFound(client.get<T>(at, { signal }));

/** What the functions do: a pod that is being deleted goes once its task has ended. */
const endPods = async (): Promise<void> => {
  for (;;) {
    const { items } = await client.list<Pod>('/api/v1/pods', { signal });
    if (items.length === 0) return;
    for (const { metadata } of items)
      if (metadata?.deletionTimestamp)
        await ignoreNotFound(
          client.delete(corePath('default', 'pods', metadata.name ?? ''), { signal, gracePeriodSeconds: 0 }),
        );
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
};

const runTask = async (): Promise<void> => {
  const container = { name: 'main', image: 'busybox', essential: true };
  const { taskDefinition } = await ecs.send(
    new RegisterTaskDefinitionCommand({
      family: 'svk-dev-1',
      networkMode: 'awsvpc',
      requiresCompatibilities: ['FARGATE'],
      cpu: '256',
      memory: '512',
      containerDefinitions: [container],
    }),
  );
  const awsvpcConfiguration = { subnets: ['subnet-0123456789abcdef0'], securityGroups: ['sg-0123456789abcdef0'] };
  await ecs.send(
    new RunTaskCommand({
      cluster: 'svk-dev',
      launchType: 'FARGATE',
      taskDefinition: taskDefinition?.taskDefinitionArn ?? '',
      networkConfiguration: { awsvpcConfiguration },
    }),
  );
};

describe('N-17 svk remove', () => {
  it('refuses while pods run, naming them; the node is cordoned', async () => {
    await createPod('web');
    await expect(remove()).rejects.toThrow(
      '1 pods still run: default/web; the nodes are cordoned, nothing else was done',
    );
    const node = await find<Node>(nodePath('fargate'));
    expect(node?.spec?.unschedulable).toBe(true);
    expect((await find<Pod>(corePath('default', 'pods', 'web')))?.metadata?.deletionTimestamp).toBeUndefined();
  });

  it('deletes them where it is forced to, then tasks that are left over, lease and node', async () => {
    await createPod('web');
    await runTask();
    const [lines] = await Promise.all([remove({ force: true }), endPods()]);
    expect(lines).toEqual([
      'deleted 1 pods',
      'stopped 1 tasks that no pod needed any more',
      'took away the webhook and the rights of the functions',
      'removed node fargate and its lease',
      'next: npx serverless remove --stage dev, and svk manifests … | kubectl delete -f -',
    ]);
    expect(await find(nodePath('fargate'))).toBeUndefined();
    expect(await find(leasePath('fargate'))).toBeUndefined();
    const { taskArns } = await ecs.send(new ListTasksCommand({ cluster: 'svk-dev', desiredStatus: 'RUNNING' }));
    expect(taskArns).toEqual([]);
  });

  it('says which pods do not end', async () => {
    await createPod('stubborn');
    await expect(remove({ force: true, timeout: '1' })).rejects.toThrow('1 pods are still there: default/stubborn');
    expect(await find(nodePath('fargate'))).toBeDefined();
  });

  it('leaves a node of another deployment alone, and may be run twice', async () => {
    expect(await remove({ nodes: 'other' })).toContain('node other belongs to another deployment: it stays');
    expect(await find(nodePath('other'))).toBeDefined();
    await remove();
    expect(await remove()).toContain('node fargate was not there');
  });

  it('refuses a time that is none', async () => {
    await expect(remove({ timeout: 'soon' })).rejects.toThrow('--timeout is "soon": give a number of seconds');
  });
});
