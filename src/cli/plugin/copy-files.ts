import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { PassThrough, type Readable, type Writable } from 'node:stream';
import { InvalidError, TransientError } from '../../core/errors.ts';
import type { PodEndpoint } from './pod-endpoint.ts';
import { type PluginDependencies, remoteExec } from './remote-exec.ts';

export interface CopyWorld extends PluginDependencies {
  readonly endpoint: PodEndpoint;
  /** Where the container's complaints go. */
  readonly complaints: Writable;
}

/** Copies a file or a folder into the container. Into a folder that is there, under its own name. */
export const copyInto = async (world: CopyWorld, from: string, to: string, signal: AbortSignal): Promise<void> => {
  const isFolder = (await stat(from)).isDirectory();
  const target = (await isRemoteFolder(world, to, signal)) ? path.posix.join(to, path.basename(from)) : to;
  if (!isFolder) {
    const file = createReadStream(from);
    await run(world, ['sh', '-c', 'cat >"$1"', 'sh', target], { stdin: file }, signal);
    return;
  }
  const tar = localTar(['-cf', '-', '-C', from, '.']);
  const script = 'mkdir -p "$1" && tar -xmf - -C "$1"';
  await Promise.all([run(world, ['sh', '-c', script, 'sh', target], { stdin: tar.output }, signal), tar.ended]);
};

/** Copies a file or a folder out of the container. A file appears under its name once it is whole. */
export const copyOut = async (world: CopyWorld, from: string, to: string, signal: AbortSignal): Promise<void> => {
  const isHere = await stat(to).then(
    (found) => found.isDirectory(),
    () => false,
  );
  const target = isHere ? path.join(to, path.posix.basename(from)) : to;
  if (await isRemoteFolder(world, from, signal)) {
    await mkdir(target, { recursive: true });
    const tar = localTar(['-xf', '-', '-C', target]);
    await run(world, ['tar', '-cf', '-', '-C', from, '.'], { stdout: tar.input }, signal);
    tar.input.end();
    await tar.ended;
    return;
  }
  const partial = `${target}.${world.random.uuid()}`;
  const file = createWriteStream(partial, { flags: 'wx' });
  try {
    await run(world, ['cat', from], { stdout: file }, signal);
    file.end();
    await once(file, 'close');
    await rename(partial, target);
  } catch (error) {
    file.destroy();
    await rm(partial, { force: true });
    throw error;
  }
};

const isRemoteFolder = async (world: CopyWorld, name: string, signal: AbortSignal): Promise<boolean> =>
  (await remoteExec(world.endpoint, { command: ['test', '-d', name], tty: false }, noStreams(), world, signal)) === 0;

const run = async (
  world: CopyWorld,
  command: readonly string[],
  streams: { readonly stdin?: Readable; readonly stdout?: Writable },
  signal: AbortSignal,
): Promise<void> => {
  const all = { ...noStreams(), ...streams, stderr: world.complaints };
  const exitCode = await remoteExec(world.endpoint, { command, tty: false }, all, world, signal);
  if (exitCode !== 0) throw new InvalidError(`the copy failed in the container with exit code ${exitCode}`);
};

const noStreams = (): { readonly sizes: AsyncIterable<never> } => ({ sizes: (async function* () {})() });

const localTar = (
  args: readonly string[],
): { readonly input: Writable; readonly output: Readable; readonly ended: Promise<void> } => {
  const child = spawn('tar', args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = new Promise<void>((resolve, reject) => {
    child.once('error', (cause) => reject(new TransientError('tar cannot be started here', { cause })));
    child.once('close', (code) =>
      code === 0 ? resolve() : reject(new InvalidError(`tar failed here with exit code ${code ?? 'of a signal'}`)),
    );
  });
  ended.catch(() => undefined);
  // Held here: what nobody has read when a child ends is thrown away.
  return { input: child.stdin, output: child.stdout.pipe(new PassThrough()), ended };
};
