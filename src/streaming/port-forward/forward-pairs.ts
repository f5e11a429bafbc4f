import type { Clock } from '../../core/clock.ts';
import type { StreamHeaders } from '../spdy/header-inflater.ts';
import type { SpdyStream } from '../spdy/spdy-stream.ts';
import { type ForwardedPair, parsePort } from './forwarded-pair.ts';

interface Half {
  readonly streams: Map<string, SpdyStream>;
  /** Aborts when the pair is complete, or was given up. */
  readonly settled: AbortController;
}

const STREAM_TYPES: readonly string[] = ['error', 'data'];

/**
 * Puts the two streams of each forwarded connection together: by their `requestid`, for old clients that send none by
 * their ids (an error stream comes right before its data stream).
 */
export class ForwardPairs {
  readonly #halves = new Map<string, Half>();
  readonly #clock: Clock;
  readonly #creationTimeoutMs: number;
  readonly #onPair: (pair: ForwardedPair) => void;

  /** @param creationTimeoutMs a half is refused when the other has not come by then */
  constructor(clock: Clock, creationTimeoutMs: number, onPair: (pair: ForwardedPair) => void) {
    this.#clock = clock;
    this.#creationTimeoutMs = creationTimeoutMs;
    this.#onPair = onPair;
  }

  /** Whether a stream is half of a pair that still lacks it. */
  accepts(headers: StreamHeaders, id: number): boolean {
    const { streamtype = '', port = '' } = headers;
    if (!STREAM_TYPES.includes(streamtype) || parsePort(port) === undefined) return false;
    return this.#halves.get(keyOf(headers, id))?.streams.has(streamtype) !== true;
  }

  /** Takes a stream that was accepted. */
  add(stream: SpdyStream): void {
    const key = keyOf(stream.headers, stream.id);
    const half = this.#halves.get(key) ?? this.#begin(key);
    half.streams.set(stream.headers['streamtype'] ?? '', stream);
    // One that is reset before the other comes leaves nothing behind.
    stream.once('close', () => half.settled.abort());
    const [error, data] = [half.streams.get('error'), half.streams.get('data')];
    if (error === undefined || data === undefined) return;
    half.settled.abort();
    this.#onPair({ error, data, port: parsePort(data.headers['port'] ?? '') ?? 0 });
  }

  #begin(key: string): Half {
    const half: Half = { streams: new Map(), settled: new AbortController() };
    this.#halves.set(key, half);
    half.settled.signal.addEventListener('abort', () => this.#halves.delete(key), { once: true });
    this.#clock.sleep(this.#creationTimeoutMs, half.settled.signal).then(
      () => this.#giveUp(half),
      () => undefined,
    );
    return half;
  }

  #giveUp({ streams, settled }: Half): void {
    settled.abort();
    void streams.get('error')?.finishWriting(Buffer.from('timed out waiting for the streams of a connection'));
    streams.get('data')?.destroy();
  }
}

const keyOf = ({ requestid = '', streamtype }: StreamHeaders, id: number): string => {
  if (requestid !== '') return requestid;
  return `#${streamtype === 'data' ? id - 2 : id}`;
};
