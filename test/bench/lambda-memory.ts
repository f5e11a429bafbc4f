import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CloudWatchLogsClient, CreateLogStreamCommand, PutLogEventsCommand } from '@aws-sdk/client-cloudwatch-logs';
import { ECSClient, ListTasksCommand } from '@aws-sdk/client-ecs';
import { PutParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { parse } from 'yaml';
import * as z from 'zod/mini';
import { KubernetesClient } from '../../src/adapters/kubernetes/kubernetes-client.ts';
import { SystemClock } from '../../src/adapters/system/system-clock.ts';
import type { Pod } from '../../src/model/kubernetes.ts';
import { buildBundles } from '../support/local-cloud.ts';
import { type CountedCloud, startCountedCloud } from './counted-cloud.ts';
import type { BenchOptions, Measurement } from './measurement.ts';

const CHILD = join(import.meta.dirname, 'lambda-child.ts');
const PODS = '/api/v1/namespaces/default/pods';
const NODE = 'fargate';
const SECRET = '0123456789abcdef0123456789abcdef';
const INVOCATIONS = 60;
const BATCH = 10;
const LOG_LINES = 5_000;

/**
 * The most memory each function takes, as it is bundled and in a process of its own on Node.js 24, under load: with `--pods`
 * pods on the node, each invocation after the other in one process, the API server over TLS. Lambda's own runtime is not in
 * it: some 25 MiB, for an empty function is reported with 65 to 70 MB where a bare Node.js has 42.
 */
export async function* run({ pods }: BenchOptions): AsyncIterable<Measurement> {
  await buildBundles();
  const cloud = await startCountedCloud(() => undefined);
  try {
    await prepare(cloud);
    const uids = await makePods(cloud, pods);
    for (const [name, events] of await loadOf(cloud, uids)) {
      const value = (await maxRssKiB(cloud, name, events())) / 1_024;
      const detail = { 'MB it is given': memoryOf(name) };
      yield { bench: 'lambda-memory', metric: 'max_rss_mib', unit: 'MiB', subject: name, value, n: pods, detail };
      // Its pods run: now there is something to read, and something to write on.
      if (name === 'pod-worker') await writeLogs(cloud);
    }
  } finally {
    await cloud.close();
  }
}

const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
const at = ({ aws }: CountedCloud) => ({ endpoint: aws.url, region: 'eu-west-1', credentials });

const prepare = async (cloud: CountedCloud): Promise<void> => {
  const ssm = new SSMClient(at(cloud));
  const Name = '/svk-system/bench/admission';
  await ssm.send(new PutParameterCommand({ Name, Value: SECRET, Type: 'SecureString' }));
  ssm.destroy();
};

const clientOf = ({ kubernetes: { url: server, certificateAuthority, token } }: CountedCloud): KubernetesClient =>
  new KubernetesClient({ server, certificateAuthority, token }, { clock: new SystemClock() });

const makePods = async (cloud: CountedCloud, count: number): Promise<readonly string[]> => {
  const client = clientOf(cloud);
  const { signal } = new AbortController();
  const uids: string[] = [];
  for (let index = 0; index < count; index += 1) {
    const env = Array.from({ length: 20 }, (_, number) => ({ name: `VARIABLE_${number}`, value: 'x'.repeat(100) }));
    const spec = {
      nodeName: NODE,
      tolerations: [{ operator: 'Exists' }],
      automountServiceAccountToken: false,
      containers: [{ name: 'main', image: 'bench', env }],
    };
    const pod = await client.create<Pod>(PODS, { metadata: { name: `web-${index}` }, spec }, { signal });
    uids.push(pod.metadata?.uid ?? '');
  }
  client.close();
  return uids;
};

/** In the order in which a deployment gets to them; each list is made when it is its turn. */
const loadOf = async (
  { kubernetes: { token } }: CountedCloud,
  uids: readonly string[],
): Promise<readonly (readonly [string, () => readonly unknown[]])[]> => {
  const scheduled = { source: 'aws.events', 'detail-type': 'Scheduled Event', detail: {} };
  const wakes = uids.map((uid, index) => record({ ...wakeOf(uid, index) }));
  const batches = Array.from({ length: Math.ceil(wakes.length / BATCH) }, (_, index) => ({
    Records: wakes.slice(index * BATCH, (index + 1) * BATCH),
  }));
  const beat = { Records: [record({ v: 1, kind: 'beat', slot: Math.floor(Date.now() / 10_000) * 10_000 })] };
  const often = (...events: readonly unknown[]): readonly unknown[] =>
    Array.from({ length: INVOCATIONS }, (_, index) => events[index % events.length]);
  const review = {
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    request: {
      uid: 'r',
      operation: 'CREATE',
      resource: { group: '', version: 'v1', resource: 'pods' },
      object: { metadata: { uid: uids[0], name: 'web-0', namespace: 'default' }, spec: { nodeName: NODE } },
    },
  };
  const authorization = `Bearer ${token}`;
  return [
    // A second scheduled run would find no beat between and beat by itself, for a minute.
    ['node-heartbeat', () => [scheduled, ...often(beat)]],
    ['admission', () => often(httpEvent('POST', `/admission/${SECRET}`, JSON.stringify(review)))],
    ['pod-resync', () => often(scheduled)],
    ['pod-worker', () => batches],
    ['kubelet-api', () => often(httpEvent('GET', '/pods', '', authorization))],
    ['container-logs', () => often(restEvent('/containerLogs/default/web-0/main', authorization))],
    ['task-collector', () => often(scheduled)],
  ];
};

const wakeOf = (uid: string, index: number): object => ({
  v: 1,
  kind: 'wake',
  reason: 'bind',
  uid,
  namespace: 'default',
  name: `web-${index}`,
  node: NODE,
});

const record = (message: object): object => ({
  messageId: crypto.randomUUID(),
  receiptHandle: 'x',
  body: JSON.stringify(message),
  attributes: {},
  messageAttributes: {},
  eventSource: 'aws:sqs',
});

const httpEvent = (method: string, rawPath: string, body: string, authorization?: string): object => ({
  version: '2.0',
  rawPath,
  rawQueryString: '',
  headers: { ...(authorization !== undefined && { authorization }) },
  stageVariables: { node: NODE },
  pathParameters: { secret: SECRET },
  requestContext: { stage: '$default', http: { method, path: rawPath } },
  ...(body !== '' && { body }),
  isBase64Encoded: false,
});

const restEvent = (path: string, authorization: string): object => ({
  path,
  httpMethod: 'GET',
  headers: { authorization },
  stageVariables: { node: NODE },
  requestContext: { identity: {} },
});

/** A long log for the task of the first pod that has one. */
const writeLogs = async (cloud: CountedCloud): Promise<void> => {
  const ecs = new ECSClient(at(cloud));
  const logs = new CloudWatchLogsClient(at(cloud));
  const { taskArns = [] } = await ecs.send(new ListTasksCommand({ cluster: 'svk-bench' }));
  for (const arn of taskArns) {
    const stream = { logGroupName: '/svk/bench/pods', logStreamName: `svk/main/${arn.split('/').at(-1)}` };
    await logs.send(new CreateLogStreamCommand(stream)).catch(() => undefined);
    const now = Date.now();
    const logEvents = Array.from({ length: LOG_LINES }, (_, index) => ({
      timestamp: now,
      message: `${index} ${'x'.repeat(100)}`,
    }));
    await logs.send(new PutLogEventsCommand({ ...stream, logEvents }));
  }
  ecs.destroy();
  logs.destroy();
};

const maxRssKiB = async (cloud: CountedCloud, name: string, events: readonly unknown[]): Promise<number> => {
  const memory = memoryOf(name);
  const child = fork(CHILD, [], {
    // As Lambda's runtime has it for so much memory.
    execArgv: [
      `--max-old-space-size=${Math.floor(memory * 0.9)}`,
      `--max-semi-space-size=${Math.floor(memory * 0.05)}`,
    ],
    env: { ...process.env, ...cloud.variables, NODE_OPTIONS: '--enable-source-maps' },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  child.send({ bundle: join(process.cwd(), 'dist', name, 'index.cjs'), events });
  try {
    return answerOf(await messageOf(child, name), name);
  } finally {
    child.kill();
  }
};

const messageOf = async (child: ChildProcess, name: string): Promise<unknown> => {
  const ended = once(child, 'exit').then(() => Promise.reject(new Error(`${name} ended by itself`)));
  const [message] = (await Promise.race([once(child, 'message'), ended])) as [unknown];
  ended.catch(() => undefined);
  return message;
};

const answer = z.object({ maxRssKiB: z.number(), answers: z.array(z.unknown()) });

const answerOf = (message: unknown, name: string): number => {
  const parsed = answer.safeParse(message);
  if (!parsed.success) throw new Error(`${name}: ${JSON.stringify(message)}`);
  for (const one of parsed.data.answers) refuseFailure(name, one);
  return parsed.data.maxRssKiB;
};

const failure = z.union([
  z.looseObject({ statusCode: z.number().check(z.gte(400)) }),
  z.looseObject({ batchItemFailures: z.array(z.unknown()).check(z.minLength(1)) }),
]);

/** What did not work takes no memory. */
const refuseFailure = (name: string, given: unknown): void => {
  if (failure.safeParse(given).success) throw new Error(`${name} answered ${JSON.stringify(given).slice(0, 500)}`);
};

const description = z.object({
  provider: z.object({ memorySize: z.number() }),
  functions: z.record(z.string(), z.object({ memorySize: z.optional(z.number()) })),
});

const memoryOf = (name: string): number => {
  const { provider, functions } = description.parse(
    parse(readFileSync('serverless.yml', 'utf8'), { logLevel: 'silent' }),
  );
  return functions[name]?.memorySize ?? provider.memorySize;
};
