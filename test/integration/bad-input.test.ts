import { mkdtemp, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  ListQueuesCommand,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  SetQueueAttributesCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { beforeAll, describe, expect, it } from 'vitest';
import { DEFAULT_PORTS } from '../../infra/local/cloud/ports.ts';
import { buildBundles, runLocalCloud, startLocalCloud, waitFor } from '../support/local-cloud.ts';

beforeAll(buildBundles);

const fileWith = async (text: string): Promise<string> => {
  const path = join(await mkdtemp(join(tmpdir(), 'svk-input-')), 'file.yml');
  await writeFile(path, text);
  return path;
};

describe('npm start', () => {
  it('lists every fault of the settings file and exits 1', async () => {
    const settings = await fileWith(`
deployment: Not_A_Name
provider: fargate
nodes:
  - { name: fargate, capacity: { cpu: lots, memory: 8Gi, pods: '5' }, profile: missing, colour: blue }
profiles:
  default: { subnets: [], securityGroups: [sg-1] }
`);
    const { code, output } = await runLocalCloud(['--any-ports', '--settings', settings]);
    expect(code).toBe(1);
    for (const fault of ['deployment', 'nodes[0].capacity.cpu', 'nodes[0].colour', 'profiles.default.subnets']) {
      expect(output).toContain(fault);
    }
  });

  it.each([
    { what: 'is missing', kubeconfig: '/does/not/exist', want: '/does/not/exist' },
    { what: 'leads nowhere', kubeconfig: 'unreachable', want: '127.0.0.1:9' },
  ])('says in one sentence that the kubeconfig $what, and exits 1', async ({ kubeconfig, want }) => {
    const path = kubeconfig === 'unreachable' ? await fileWith(UNREACHABLE) : kubeconfig;
    const { code, output } = await runLocalCloud(['--any-ports', '--kubeconfig', path]);
    expect(code).toBe(1);
    expect(output.trim().split('\n')).toHaveLength(1);
    expect(output).toContain(want);
  });

  it.each([
    { what: 'is not there', text: undefined, want: 'is not there' },
    { what: 'is no YAML', text: 'nodes: [', want: 'is not YAML' },
  ])('says in one sentence that the settings file $what, and exits 1', async ({ text, want }) => {
    const settings = text === undefined ? '/does/not/exist.yml' : await fileWith(text);
    const { code, output } = await runLocalCloud(['--any-ports', '--settings', settings]);
    expect(code).toBe(1);
    expect(output).toContain(settings);
    expect(output).toContain(want);
    expect(output.trim().split('\n')).toHaveLength(1);
  });

  it('says in one sentence which port is in use, and exits 1', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(DEFAULT_PORTS.lambda, '127.0.0.1', resolve));
    const { code, output } = await runLocalCloud([]);
    await new Promise((resolve) => server.close(resolve));
    expect(code).toBe(1);
    expect(output).toContain(`port ${DEFAULT_PORTS.lambda} (lambda) is in use`);
    expect(output.trim().split('\n')).toHaveLength(1);
  });
});

describe('the pod queue', () => {
  it('moves a message it can’t read to the dead-letter queue, and works on the others of the batch', async () => {
    const cloud = await startLocalCloud(['--runtime', 'simulated']);
    const sqs = new SQSClient({
      endpoint: `http://127.0.0.1:${cloud.ports.sqs}`,
      region: 'eu-west-1',
      credentials: cloud.credentials,
    });
    const { QueueUrls = [] } = await sqs.send(new ListQueuesCommand({}));
    const names = QueueUrls.map((url) => url.split('/').pop() ?? '');
    const urlOf = (end: string): string =>
      `http://127.0.0.1:${cloud.ports.sqs}/000000000000/${names.find((name) => name.endsWith(end))}`;
    const [pods, dead] = [urlOf('-PodQueue'), urlOf('-PodDeadLetterQueue')];
    const wake = { v: 1, kind: 'wake', reason: 'timer', uid: 'nobody', namespace: 'default', name: 'nobody' };
    // The redrive policy gives up after five deliveries: let them follow each other quickly.
    await sqs.send(new SetQueueAttributesCommand({ QueueUrl: pods, Attributes: { VisibilityTimeout: '1' } }));
    await sqs.send(
      new SendMessageBatchCommand({
        QueueUrl: pods,
        Entries: [
          { Id: 'good', MessageBody: JSON.stringify(wake) },
          { Id: 'bad', MessageBody: 'not JSON, with a s3cret in it' },
        ],
      }),
    );
    await waitFor(async () => (await cloud.log()).includes('message not understood'), { what: 'the report' });
    expect(await cloud.log()).not.toContain('s3cret');
    const { Messages = [] } = await sqs.send(new ReceiveMessageCommand({ QueueUrl: dead, WaitTimeSeconds: 20 }));
    expect(Messages.map(({ Body }) => Body)).toEqual(['not JSON, with a s3cret in it']);
    sqs.destroy();
    expect(await cloud.stop()).toBe(0);
  });
});

const UNREACHABLE = `
apiVersion: v1
kind: Config
current-context: nowhere
contexts: [{ name: nowhere, context: { cluster: nowhere, user: nobody } }]
clusters: [{ name: nowhere, cluster: { server: 'https://127.0.0.1:9' } }]
users: [{ name: nobody, user: { token: none } }]
`;
