import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import * as z from 'zod/mini';
import { type IdleFunction, type IdleHour, type Invocation, idleHour } from './idle-hour.ts';
import type { Measurement } from './measurement.ts';
import prices from './prices.json' with { type: 'json' };
import { longestChainMs } from './request-spans.ts';

const { usd, model, hoursPerMonth } = prices;
const QUEUES = 2;
/** Those that are called while nothing happens. */
const FUNCTIONS = 4;

/**
 * What a deployment costs while nothing happens: the calls and invocations of one idle hour, counted, times the prices in
 * prices.json. What AWS does by itself cannot be counted here and is modelled there: Lambda's polling of the queues, the
 * time an invocation takes, cold starts.
 */
export async function* run(): AsyncIterable<Measurement> {
  const one = costOf(await idleHour(['fargate']));
  const two = costOf(await idleHour(['fargate', 'spot']));
  const common = { bench: 'cost', unit: 'usd', subject: 'lambda' } as const;
  yield { ...common, metric: 'usd_per_node_month_idle', value: sum(one), detail: one };
  yield {
    ...common,
    metric: 'usd_per_extra_node_month',
    value: sum(two) - sum(one),
    detail: Object.fromEntries(Object.keys(one).map((part) => [part, (two[part] ?? 0) - (one[part] ?? 0)])),
  };
}

/** US dollars a month, by what they are paid for. */
type Cost = Readonly<Record<string, number>>;

const costOf = ({ invocations, logBytes }: IdleHour): Cost => {
  const calls = invocations.flatMap((invocation) => invocation.calls);
  const count = (service: string, operations: readonly string[]): number =>
    calls.filter((call) => call.service === service && operations.includes(call.operation)).length;
  const kubernetesBytes = calls
    .filter(({ service }) => service === 'kubernetes')
    .reduce((bytes, call) => bytes + call.bytes, 0);
  const hourly = {
    'lambda requests': invocations.length * usd.lambdaRequest,
    'lambda time': gbSecondsOf(invocations) * usd.lambdaGbSecondArm,
    'sqs requests': sqsRequests(invocations) * usd.sqsRequest,
    'dynamodb writes': count('dynamodb', ['UpdateItem', 'DeleteItem']) * usd.dynamodbWriteUnit,
    // A query or scan is eventually consistent: half a unit where it finds nothing.
    'dynamodb reads':
      (count('dynamodb', ['GetItem']) + count('dynamodb', ['Query', 'Scan']) / 2) * usd.dynamodbReadUnit,
    // One request to KMS in each cold start: later reads decrypt only what has changed.
    'parameters decrypted': FUNCTIONS * model.coldStartsPerFunctionHour * usd.kmsRequest,
    'logs taken in': logBytes * usd.logsIngestedByte,
    'requests to the API server': kubernetesBytes * model.tlsOverhead * usd.internetByte,
  };
  return Object.fromEntries(Object.entries(hourly).map(([part, dollars]) => [part, dollars * hoursPerMonth]));
};

/**
 * Sends as counted; one delete for each invocation by a queue; and the receives of Lambda's pollers, each of which takes
 * 20 s where nothing comes and on the average half of that where a message does.
 */
const sqsRequests = (invocations: readonly Invocation[]): number => {
  const sends = invocations.reduce((total, { sqsSends }) => total + sqsSends, 0);
  const schedules = 60 + 60 + 12;
  const messages = invocations.length - schedules;
  const emptyReceives =
    (QUEUES * model.pollersPerQueue * 3_600 - (messages * model.pollSeconds) / 2) / model.pollSeconds;
  return sends + 2 * messages + emptyReceives;
};

const gbSecondsOf = (invocations: readonly Invocation[]): number => {
  const memory = memoryOf();
  const warm = invocations.reduce(
    (total, invocation) => total + (memory[invocation.name] * billedMs(invocation)) / 1_000,
    0,
  );
  const cold = Object.values(memory).reduce(
    (total, gb) => total + (gb * model.coldStartsPerFunctionHour * model.coldStartMs) / 1_000,
    0,
  );
  return warm + cold;
};

const billedMs = ({ spans }: Invocation): number =>
  model.ownMs + longestChainMs(spans, ({ service }) => model.latencyMs[service]);

const description = z.object({
  provider: z.object({ memorySize: z.number() }),
  functions: z.record(z.string(), z.object({ memorySize: z.optional(z.number()) })),
});

/** Gigabytes of each function, as serverless.yml gives them. */
const memoryOf = (): Readonly<Record<IdleFunction, number>> => {
  const { provider, functions } = description.parse(
    parse(readFileSync('serverless.yml', 'utf8'), { logLevel: 'silent' }),
  );
  const of = (name: IdleFunction): number => (functions[name]?.memorySize ?? provider.memorySize) / 1_024;
  return {
    'node-heartbeat': of('node-heartbeat'),
    'pod-resync': of('pod-resync'),
    'pod-worker': of('pod-worker'),
    'task-collector': of('task-collector'),
  };
};

const sum = (cost: Cost): number => Object.values(cost).reduce((total, part) => total + part, 0);
