import type { Variables } from '../../src/app/foundation.ts';
import { heartbeatApp, podResyncApp, podWorkerApp, taskCollectorApp } from '../../src/app/function-apps.ts';
import { parseMessage } from '../../src/lambda/queue-message.ts';
import { FakeClock } from '../fakes/clock.ts';
import { startCountedCloud, type WireCall } from './counted-cloud.ts';
import { type RequestSpan, recordSpans } from './request-spans.ts';
import { startVirtualQueues, type Waiting } from './virtual-queues.ts';

export type IdleFunction = 'node-heartbeat' | 'pod-resync' | 'pod-worker' | 'task-collector';

/** What one invocation called. */
export interface Invocation {
  readonly name: IdleFunction;
  readonly calls: readonly WireCall[];
  readonly sqsSends: number;
  /** When each request was under way, and to whom. */
  readonly spans: readonly ServiceSpan[];
}

export interface ServiceSpan extends RequestSpan {
  readonly service: WireCall['service'] | 'sqs';
}

export interface IdleHour {
  readonly invocations: readonly Invocation[];
  readonly logBytes: number;
}

const MINUTE_MS = 60_000;
const OFFSET_MS = 3_000;
const SLOT_MS = 10_000;
const SLOTS_AN_HOUR = 360;
const MINUTE_SLOTS = 6;

/**
 * One hour in which no pod is there, of the deployed code as it is composed for the functions, against the emulators of the
 * local cloud: everything that reaches a server is counted. The hour is virtual: the functions' clock is set forward in
 * slots of ten seconds, schedules and delayed messages come when theirs is.
 */
export const idleHour = async (nodes: readonly string[]): Promise<IdleHour> => {
  // Schedules come at any second of a minute; beats at every tenth.
  const clock = new FakeClock(Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS + OFFSET_MS);
  const cloud = await startCountedCloud(() => undefined, { nodes });
  const queues = await startVirtualQueues(clock);
  const variables: Variables = {
    ...cloud.variables,
    AWS_ENDPOINT_URL_SQS: queues.url,
    SVK_POD_QUEUE_URL: `${queues.url}/000000000000/pods`,
    SVK_BEATS_QUEUE_URL: `${queues.url}/000000000000/beats`,
  };
  const { signal } = new AbortController();
  const heartbeat = heartbeatApp(variables, { clock });
  const resync = podResyncApp(variables, { clock });
  const worker = podWorkerApp(variables, { clock });
  const collector = taskCollectorApp(variables, { clock });

  const hosts = new Map<string, ServiceSpan['service']>([
    [hostOf(cloud.kubernetes.url), 'kubernetes'],
    [hostOf(variables['AWS_ENDPOINT_URL_DYNAMODB']), 'dynamodb'],
    [hostOf(cloud.aws.url), 'aws'],
    [hostOf(queues.url), 'sqs'],
  ]);
  const serviceAt = (host: string): ServiceSpan['service'] => {
    const service = hosts.get(host);
    if (service === undefined) throw new Error(`a request went to ${host}`);
    return service;
  };

  const invocations: Invocation[] = [];
  const invoke = async (name: IdleFunction, run: () => Promise<unknown> | undefined): Promise<void> => {
    const [calls, sends] = [cloud.calls.length, queues.sends];
    const recorder = recordSpans();
    await run();
    recorder.stop();
    invocations.push({
      name,
      calls: cloud.calls.slice(calls),
      sqsSends: queues.sends - sends,
      spans: recorder.spans.map((span) => ({ ...span, service: serviceAt(span.host) })),
    });
  };
  const deliver = async ({ queue, body }: Waiting): Promise<void> => {
    const message = parseMessage(body);
    if (message.kind !== 'beat') throw new Error(`an idle deployment sent ${message.kind}`);
    const [name, { workers }] =
      queue === 'beats' ? (['node-heartbeat', heartbeat] as const) : (['pod-worker', worker] as const);
    await invoke(name, async () => workers.beats?.beat(message.beat, signal));
  };
  const log = countLog();
  try {
    // Two minutes before the hour: nodes are registered and both queues carry beats.
    for (let slot = -2 * MINUTE_SLOTS; slot < SLOTS_AN_HOUR; slot += 1) {
      if (slot === 0) {
        invocations.length = 0;
        log.reset();
      }
      if (slot % MINUTE_SLOTS === 0) {
        await invoke('node-heartbeat', () => heartbeat.run(signal));
        await invoke('pod-resync', () => resync.run(signal));
        if (slot % (5 * MINUTE_SLOTS) === 0) await invoke('task-collector', () => collector.run(signal));
      }
      for (const message of queues.receive()) await deliver(message);
      await clock.advance(SLOT_MS);
    }
    return { invocations, logBytes: log.bytes() };
  } finally {
    log.restore();
    await queues.close();
    await cloud.close();
  }
};

const hostOf = (url: string | undefined): string => new URL(url ?? '').host;

/** Counts what the functions log, which would be paid for, and keeps it off the screen. */
const countLog = (): { bytes(): number; reset(): void; restore(): void } => {
  const write = process.stdout.write;
  let bytes = 0;
  process.stdout.write = (chunk: string | Uint8Array) => {
    bytes += Buffer.byteLength(chunk);
    return true;
  };
  return {
    bytes: () => bytes,
    reset: () => {
      bytes = 0;
    },
    restore: () => {
      process.stdout.write = write;
    },
  };
};
