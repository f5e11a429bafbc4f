import { BENCH_TRANSPORTS, type BenchTransport } from './exec/client.ts';
import { fargateExec } from './exec/fargate.ts';
import { watchRss } from './exec/rss-growth.ts';
import type { TargetPorts } from './exec/target.ts';
import { startTarget, type TargetProcess } from './exec/target-process.ts';
import { barePipe, type Direction, transfer } from './exec/transfer.ts';
import { fromSamples, type Measurement } from './measurement.ts';

type Target = TargetPorts & TargetProcess;

const MEBIBYTE = 1_048_576;
const BYTES = 512 * MEBIBYTE;
const LONG_BYTES = 1_024 * MEBIBYTE;
const ROUNDS = 5;
const WARM_UP_SESSIONS = 50;
const IDLE_SESSIONS = 300;
const DIRECTIONS: readonly Direction[] = ['out', 'in'];

/**
 * What a remote command's transport carries with a byte stream for a target: `out` is the container's output, `in` its
 * input. Client and server are two processes, as kubectl and a kubelet are; the bare pipe between the same two is measured
 * in the same rounds. Commands in Fargate tasks go another way, and are measured apart.
 */
export async function* run(): AsyncIterable<Measurement> {
  for (const direction of DIRECTIONS) yield* withTarget((target) => rates(target, direction));
  // A process of its own each: what one has freed would hide what the next takes.
  for (const transport of BENCH_TRANSPORTS) {
    for (const direction of DIRECTIONS) yield* withTarget((target) => memoryOf(target, transport, direction));
    yield* withTarget((target) => idle(target, transport));
  }
  yield* fargateExec();
}

async function* withTarget(measure: (target: Target) => AsyncIterable<Measurement>): AsyncIterable<Measurement> {
  const target = await startTarget<TargetPorts>(new URL('./exec/target.ts', import.meta.url));
  try {
    yield* measure(target);
  } finally {
    target.stop();
  }
}

async function* rates(target: Target, direction: Direction): AsyncIterable<Measurement> {
  const samples = new Map<string, number[]>();
  const ratios = new Map<string, number[]>();
  const note = (to: Map<string, number[]>, subject: string, value: number): void =>
    void to.set(subject, [...(to.get(subject) ?? []), value]);
  // The first round warms up.
  for (let round = -1; round < ROUNDS; round += 1) {
    const pipe = await barePipe(direction, { port: target.pipe, isTls: false, bytes: BYTES });
    if (round >= 0) note(samples, 'pipe', pipe);
    for (const transport of BENCH_TRANSPORTS) {
      const rate = await transfer(transport, direction, { port: target.plain, isTls: false, bytes: BYTES });
      const overTls = await transfer(transport, direction, { port: target.tls, isTls: true, bytes: BYTES });
      if (round < 0) continue;
      note(samples, transport.name, rate);
      note(samples, `${transport.name} in TLS`, overTls);
      note(ratios, transport.name, rate / pipe);
    }
  }
  for (const [subject, own] of samples)
    yield fromSamples({ bench: 'exec', metric: `${direction}_mb_s`, unit: 'MB/s', subject }, own);
  for (const [subject, own] of ratios)
    yield fromSamples({ bench: 'exec', metric: `${direction}_of_bare_pipe`, unit: '', subject }, own);
}

/** How much more memory the second half of a gibibyte takes than the first, at most. */
async function* memoryOf(target: Target, transport: BenchTransport, direction: Direction): AsyncIterable<Measurement> {
  const { rss, growth } = await watchRss(target, LONG_BYTES, (onProgress) =>
    transfer(transport, direction, { port: target.plain, isTls: false, bytes: LONG_BYTES, onProgress }),
  );
  const common = { bench: 'exec', unit: 'MiB', subject: transport.name } as const;
  yield { ...common, metric: `${direction}_rss_mib`, value: rss / MEBIBYTE };
  yield { ...common, metric: `${direction}_rss_growth_mib`, value: growth / MEBIBYTE };
}

async function* idle(target: Target, transport: BenchTransport): AsyncIterable<Measurement> {
  const open = async (count: number): Promise<readonly { destroy: () => void }[]> => {
    const sessions: { destroy: () => void }[] = [];
    for (let index = 0; index < count; index += 1) {
      const session = await transport.open(
        { port: target.plain, isTls: false, query: 'in&out&idle' },
        () => undefined,
        () => undefined,
      );
      sessions.push(session.io);
    }
    return sessions;
  };
  // What is loaded and compiled at first is no session's.
  const first = await open(WARM_UP_SESSIONS);
  const before = await target.rss('settled');
  const sessions = await open(IDLE_SESSIONS);
  const after = await target.rss('settled');
  for (const socket of [...first, ...sessions]) socket.destroy();
  yield {
    bench: 'exec',
    metric: 'idle_session_kb',
    unit: 'KB',
    subject: transport.name,
    value: (after - before) / 1_000 / IDLE_SESSIONS,
    n: IDLE_SESSIONS,
  };
}
