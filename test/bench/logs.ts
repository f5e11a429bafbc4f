import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { watchRss } from './exec/rss-growth.ts';
import { startTarget, type TargetProcess } from './exec/target-process.ts';
import type { LogTargetPorts } from './logs/target.ts';
import { fromSamples, type Measurement } from './measurement.ts';

const MEBIBYTE = 1_048_576;
const BYTES = 256 * MEBIBYTE;
const LONG_BYTES = 1_024 * MEBIBYTE;
const ROUNDS = 5;

/**
 * What `/containerLogs` carries through the HTTPS server, from a provider that is never slow to a client in another
 * process, and what memory that takes: with a client that reads at once, and with one that lets the server wait.
 */
export async function* run(): AsyncIterable<Measurement> {
  const target = await startTarget<LogTargetPorts>(new URL('./logs/target.ts', import.meta.url));
  try {
    const rates: number[] = [];
    // The first round warms up.
    for (let round = -1; round < ROUNDS; round += 1) {
      const rate = await download(target, BYTES);
      if (round >= 0) rates.push(rate);
    }
    yield fromSamples({ bench: 'logs', metric: 'mb_s', unit: 'MB/s', subject: 'https' }, rates);
    yield* memoryOf(target, 'quick reader', 0);
    yield* memoryOf(target, 'slow reader', 5);
  } finally {
    target.stop();
  }
}

async function* memoryOf(
  target: LogTargetPorts & TargetProcess,
  subject: string,
  pauseMs: number,
): AsyncIterable<Measurement> {
  const { rss, growth } = await watchRss(target, LONG_BYTES, (onProgress) =>
    download(target, LONG_BYTES, { pauseMs, onProgress }),
  );
  const common = { bench: 'logs', unit: 'MiB', subject } as const;
  yield { ...common, metric: 'rss_mib', value: rss / MEBIBYTE };
  yield { ...common, metric: 'rss_growth_mib', value: growth / MEBIBYTE };
}

/** Reads so many bytes of log, waiting `pauseMs` after each mebibyte; answers MB/s. */
const download = async (
  { port }: LogTargetPorts,
  bytes: number,
  {
    pauseMs = 0,
    onProgress = () => undefined,
  }: { readonly pauseMs?: number; readonly onProgress?: (carried: number) => void } = {},
): Promise<number> => {
  const began = performance.now();
  const call = request({
    host: '127.0.0.1',
    port,
    path: `/containerLogs/default/web/app?limitBytes=${bytes}`,
    agent: false,
    rejectUnauthorized: false,
  });
  call.end();
  const [response] = (await once(call, 'response')) as [IncomingMessage];
  if (response.statusCode !== 200) throw new Error(`answered ${response.statusCode}`);
  let read = 0;
  for await (const chunk of response) {
    const before = Math.floor(read / MEBIBYTE);
    read += (chunk as Buffer).length;
    onProgress(read);
    if (pauseMs > 0 && Math.floor(read / MEBIBYTE) > before)
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
  if (read !== bytes) throw new Error(`read ${read} of ${bytes} bytes`);
  return read / 1_000 / (performance.now() - began);
};
