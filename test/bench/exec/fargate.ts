import { randomBytes } from 'node:crypto';
import { fromSamples, type Measurement } from '../measurement.ts';
import { MESSAGE_BYTES } from './client.ts';
import { type FargatePod, startFargatePod } from './fargate-pod.ts';
import type { FargateTargetAddress } from './fargate-target.ts';
import { startTarget } from './target-process.ts';

const MEBIBYTE = 1_048_576;
const IN_BYTES = 2 * MEBIBYTE;
const ROUNDS = 3;
const STARTS = 6;

const LINE = 'a line of a file, as people copy them\n';
const OUTPUTS = [
  { kind: 'compressible', bytes: 16 * MEBIBYTE, source: `yes '${LINE.trim()}'` },
  { kind: 'incompressible', bytes: 4 * MEBIBYTE, source: 'cat /dev/urandom' },
] as const;
const INPUTS = [
  { kind: 'compressible', input: Buffer.alloc(IN_BYTES, LINE) },
  { kind: 'incompressible', input: randomBytes(IN_BYTES) },
] as const;

/**
 * Exec into a Fargate task: our client of SSM's data channel, by the provider, to the emulator on this machine, whose agent
 * runs the command in a real terminal. No network and none of AWS's own limits are in these figures: they are what our
 * end, the shell around the command and the emulated agent take together. That agent waits a second before it reads the
 * terminal, as AWS's own does: it is in `first_byte_ms` and `exit_code_ms`, and in no rate.
 * Output is slower with the official agent: `docs/limits.md` has its rates.
 */
export async function* fargateExec(): AsyncIterable<Measurement> {
  const target = await startTarget<FargateTargetAddress>(new URL('./fargate-target.ts', import.meta.url));
  try {
    const pod = await startFargatePod(target.url);
    try {
      yield* startsOf(pod);
      yield* ratesOf(pod);
    } finally {
      pod.close();
    }
  } finally {
    target.stop();
  }
}

/** From the call to the first byte of output, and to the exit code. */
async function* startsOf(pod: FargatePod): AsyncIterable<Measurement> {
  const [first, whole]: [number[], number[]] = [[], []];
  // The first one warms up.
  for (let start = -1; start < STARTS; start += 1) {
    const began = performance.now();
    let firstByte: number | undefined;
    await pod.exec(['echo', 'up'], { onOutput: () => (firstByte ??= performance.now()) });
    if (firstByte === undefined) throw new Error('echo has printed nothing');
    if (start < 0) continue;
    first.push(firstByte - began);
    whole.push(performance.now() - began);
  }
  const common = { bench: 'exec', unit: 'ms', subject: 'fargate' } as const;
  yield fromSamples({ ...common, metric: 'first_byte_ms' }, first);
  yield fromSamples({ ...common, metric: 'exit_code_ms' }, whole);
}

async function* ratesOf(pod: FargatePod): AsyncIterable<Measurement> {
  for (const { kind, bytes, source } of OUTPUTS)
    yield await rateOf(`out_${kind}_mb_s`, () => outRate(pod, bytes, `${source} | head -c ${bytes}`));
  for (const { kind, input } of INPUTS) yield await rateOf(`in_${kind}_mb_s`, () => inRate(pod, input));
}

const rateOf = async (metric: string, carry: () => Promise<number>): Promise<Measurement> => {
  const rates: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) rates.push(await carry());
  return fromSamples({ bench: 'exec', metric, unit: 'MB/s', subject: 'fargate' }, rates);
};

/** MB (10^6 bytes) a second, from the first piece to the exit code. @throws {Error} where not all arrives. */
const outRate = async (pod: FargatePod, bytes: number, script: string): Promise<number> => {
  let began: number | undefined;
  let [came, firstBytes] = [0, 0];
  await pod.exec(['sh', '-c', script], {
    onOutput: ({ length }) => {
      came += length;
      if (began !== undefined) return;
      began = performance.now();
      firstBytes = length;
    },
  });
  requireAll(came, bytes);
  return (bytes - firstBytes) / 1_000 / (performance.now() - (began ?? 0));
};

/** The same for input, from where the command begins to take it. */
const inRate = async (pod: FargatePod, input: Buffer): Promise<number> => {
  let began = 0;
  let counted = '';
  function* pieces(): Generator<Uint8Array, void> {
    began = performance.now();
    for (let at = 0; at < input.length; at += MESSAGE_BYTES) yield input.subarray(at, at + MESSAGE_BYTES);
  }
  await pod.exec(['wc', '-c'], {
    input: pieces(),
    onOutput: (piece) => {
      counted += piece.toString();
    },
  });
  requireAll(Number(counted), input.length);
  return input.length / 1_000 / (performance.now() - began);
};

const requireAll = (carried: number, bytes: number): void => {
  if (carried !== bytes) throw new Error(`carried ${carried} of ${bytes} bytes`);
};
