import * as z from 'zod/mini';
import type { ContainerSpec, PulledImage } from '../runtime.ts';
import type { EngineClient } from './engine-client.ts';
import { EngineError, messageOf } from './engine-error.ts';
import { pullFailure } from './failure-words.ts';

/** An image as the engine has it. */
export interface LocalImage extends PulledImage {
  readonly stopSignal: string;
}

const image = z.object({
  Id: z.string(),
  RepoDigests: z.nullish(z.array(z.string())),
  Config: z.nullish(z.object({ StopSignal: z.optional(z.string()) })),
});

const progress = z.object({ error: z.optional(z.string()) });

/** A registry that sends nothing for so long is given up. */
const silenceMs = 60_000;

/**
 * The image of that name: as it is where the engine has it (so that what was built here needs no registry), else pulled.
 * Fargate always pulls.
 * @throws {StartFailure} CannotPullContainerError in Fargate's words.
 */
export const imageOf = async (
  engine: EngineClient,
  { image: name, registryLogin }: Pick<ContainerSpec, 'image' | 'registryLogin'>,
  signal: AbortSignal,
): Promise<LocalImage> => {
  try {
    const present = await inspect(engine, name, signal);
    if (present) return present;
    await pull(engine, name, registryLogin, signal);
    const pulled = await inspect(engine, name, signal);
    if (pulled) return pulled;
    throw new Error(`${name}: not found after it was pulled`);
  } catch (error) {
    signal.throwIfAborted();
    throw pullFailure(name, error);
  }
};

const inspect = async (engine: EngineClient, name: string, signal: AbortSignal): Promise<LocalImage | undefined> => {
  try {
    const found = z.parse(image, await engine.call('GET', `/images/${encodeURIComponent(name)}/json`, { signal }));
    const digest = found.RepoDigests?.[0]?.split('@')[1] ?? found.Id;
    return { digest, stopSignal: found.Config?.StopSignal ?? 'SIGTERM' };
  } catch (error) {
    if (error instanceof EngineError && error.status === 404) return undefined;
    throw error;
  }
};

/** The engine answers 200 and tells in the stream's last line what went wrong. */
const pull = async (
  engine: EngineClient,
  name: string,
  login: ContainerSpec['registryLogin'],
  signal: AbortSignal,
): Promise<void> => {
  const silent = new AbortController();
  const giveUp = (): void => silent.abort(new Error(`i/o timeout: nothing was received for ${silenceMs / 1000} s`));
  let patience = setTimeout(giveUp, silenceMs);
  try {
    const query = /[:@][^/]*$/.test(name) ? { fromImage: name } : { fromImage: name, tag: 'latest' };
    const lines = await engine.stream('POST', '/images/create', {
      query,
      ...(login && { headers: { 'x-registry-auth': loginHeader(login) } }),
      signal: AbortSignal.any([signal, silent.signal]),
    });
    let rest = '';
    for await (const chunk of lines as AsyncIterable<Buffer>) {
      clearTimeout(patience);
      patience = setTimeout(giveUp, silenceMs);
      const parts = (rest + chunk.toString('utf8')).split('\n');
      rest = parts.pop() ?? '';
      for (const line of parts) throwIfFailed(line);
    }
    throwIfFailed(rest);
  } catch (error) {
    if (silent.signal.aborted) throw new Error(messageOf(silent.signal.reason), { cause: error });
    throw error;
  } finally {
    clearTimeout(patience);
  }
};

/** Base64 for URLs with its padding, without which the engine takes no notice of it. */
const loginHeader = (login: NonNullable<ContainerSpec['registryLogin']>): string =>
  Buffer.from(JSON.stringify(login)).toString('base64').replaceAll('+', '-').replaceAll('/', '_');

const throwIfFailed = (line: string): void => {
  if (line.trim() === '') return;
  const { error } = z.parse(progress, JSON.parse(line));
  if (error !== undefined) throw new Error(error);
};
