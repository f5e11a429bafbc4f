import { PassThrough } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { SystemClock } from '../../../../../src/adapters/system/system-clock.ts';
import { InvalidError, NotFoundError } from '../../../../../src/core/errors.ts';
import type { Container } from '../../../../../src/model/kubernetes.ts';
import type { Workload } from '../../../../../src/model/workload.ts';
import { mockFactory } from '../../../../../src/providers/mock/mock-factory.ts';
import { aProviderDeps } from '../../../../support/a-provider-deps.ts';
import { RecordingLogger } from '../../../../support/recording-logger.ts';

const { signal } = new AbortController();
const NO_SIZES = { async *[Symbol.asyncIterator]() {} };

const createWorld = async (runLocally = true) => {
  const logger = new RecordingLogger();
  const environment = { PATH: process.env['PATH'], AWS_SECRET_ACCESS_KEY: 'secret' };
  const deps = aProviderDeps({ node: 'vk', clock: new SystemClock(), logger, environment });
  const { provider } = await mockFactory.create({ vk: { runLocally } }, deps);
  const launch = async (...containers: readonly Container[]): Promise<string> => {
    const pod = { metadata: { uid: 'u-1', name: 'web' }, spec: { containers: [...containers] } };
    const preparation = provider.prepare(pod, { node: 'vk', environment: { variables: {}, files: [] } as never });
    if (!preparation.ok) throw new Error('refused');
    const request = await provider.provision(preparation.prepared, { podUid: 'u-1', attempt: 1, try: 1 }, signal);
    const result = await provider.launch(request, signal);
    if (result.kind !== 'started') throw new Error(result.kind);
    return result.workload.id;
  };
  const read = async (id: string): Promise<Workload> => {
    const [workload] = (await provider.describe([id], signal)).workloads;
    if (workload === undefined) throw new Error('forgotten');
    return workload;
  };
  const until = async (id: string, isSo: (workload: Workload) => boolean): Promise<Workload> => {
    for (let left = 500; left > 0; left -= 1) {
      const workload = await read(id);
      if (isSo(workload)) return workload;
      await delay(20);
    }
    throw new Error(`not in time: ${JSON.stringify(await read(id))}`);
  };
  const logsOf = async (id: string, container: string): Promise<string> => {
    const chunks: Uint8Array[] = [];
    const query = { workloadId: id, container, follow: true, timestamps: false, limitBytes: 1_000 };
    for await (const chunk of provider.logs(query, signal)) chunks.push(chunk);
    return Buffer.concat(chunks).toString();
  };
  return { provider, logger, launch, until, logsOf };
};

const isStopped = ({ phase }: Workload): boolean => phase === 'stopped';

describe('pods of the mock on this machine', () => {
  it('are warned of', async () => {
    const [there, not] = [await createWorld(), await createWorld(false)];
    const text = 'pods of this node run commands as processes of this machine, unconfined: runLocally is for tests';
    expect(there.logger.lines).toEqual([{ level: 'warn', message: text, fields: { node: 'vk' } }]);
    expect(not.logger.lines).toEqual([]);
  });

  it('run their commands, print, and end with their exit codes', async () => {
    const { launch, until, logsOf } = await createWorld();
    const id = await launch(
      { name: 'a', image: 'x', command: ['sh', '-c'], args: ['echo out; echo err >&2; exit 3'] },
      { name: 'b', image: 'x', command: ['true'] },
    );
    const workload = await until(id, isStopped);
    expect(workload.end).toEqual({ kind: 'exited', reason: 'Completed', message: 'every container has ended' });
    expect(workload.containers.map(({ name, exitCode }) => [name, exitCode])).toEqual([
      ['a', 3],
      ['b', 0],
    ]);
    expect((await logsOf(id, 'a')).split('\n').sort()).toEqual(['', 'err', 'out']);
  });

  it('go on while one of them runs, and nowhere without a command', async () => {
    const { launch, until } = await createWorld();
    const id = await launch({ name: 'a', image: 'x', command: ['false'] }, { name: 'b', image: 'x' });
    const workload = await until(id, ({ containers }) => containers[0]?.state === 'terminated');
    expect([workload.phase, workload.containers[0]?.exitCode, workload.containers[1]?.state]).toEqual([
      'running',
      1,
      'running',
    ]);
  });

  it('say what cannot be started', async () => {
    const { launch, until } = await createWorld();
    const workload = await until(await launch({ name: 'a', image: 'x', command: ['no-such-program-1'] }), isStopped);
    expect(workload.containers[0]).toMatchObject({
      exitCode: 127,
      message: expect.stringContaining('executable file not found in $PATH'),
    });
  });

  it('are stopped with their processes', async () => {
    const { provider, launch, until, logsOf } = await createWorld();
    const id = await launch({ name: 'a', image: 'x', command: ['sh', '-c', 'trap "" TERM; echo up; sleep 300'] });
    await provider.stop(id, { graceSeconds: 1, reason: 'deleted' }, signal);
    expect((await until(id, isStopped)).end?.kind).toBe('requested');
    // It ends, because the process has.
    await logsOf(id, 'a');
  });

  it('X-09 are attached to, and their input ends with the first who does where they say so', async () => {
    const { provider, launch, until } = await createWorld();
    const echo = ['sh', '-c', 'while read line; do echo "got:$line"; done; echo over; exit 5'];
    const id = await launch({ name: 'a', image: 'x', command: echo, stdin: true, stdinOnce: true });
    const [stdin, stdout] = [new PassThrough(), new PassThrough()];
    const attached = provider.attach?.(
      { workloadId: id, container: 'a', tty: false },
      { stdin, stdout, sizes: NO_SIZES },
      signal,
    );
    stdin.end('one\ntwo\n');
    await attached;
    expect(String(stdout.read())).toBe('got:one\ngot:two\nover\n');
    expect((await until(id, isStopped)).containers[0]?.exitCode).toBe(5);
  });

  it('X-09 outlive whoever leaves', async () => {
    const { provider, launch, until } = await createWorld();
    const id = await launch({ name: 'a', image: 'x', command: ['cat'], stdin: true });
    const left = new AbortController();
    const attached = provider.attach?.(
      { workloadId: id, container: 'a', tty: false },
      { stdin: new PassThrough(), sizes: NO_SIZES },
      left.signal,
    );
    left.abort();
    await attached;
    expect((await until(id, () => true)).phase).toBe('running');
    await provider.stop(id, { graceSeconds: 0, reason: 'over' }, signal);
  });

  it('X-09 say so where they have no input', async () => {
    const { provider, launch } = await createWorld();
    const id = await launch({ name: 'a', image: 'x', command: ['sleep', '300'] });
    const streams = { stdin: new PassThrough(), sizes: NO_SIZES };
    const attached = provider.attach?.({ workloadId: id, container: 'a', tty: false }, streams, signal);
    await expect(attached).rejects.toThrow(InvalidError);
    await provider.stop(id, { graceSeconds: 0, reason: 'over' }, signal);
  });
});

describe('pods of the mock that run nowhere', () => {
  it('take every command and print nothing, as those of virtual-kubelet', async () => {
    const { provider, launch } = await createWorld(false);
    const id = await launch({ name: 'a', image: 'x', command: ['false'] });
    const query = { workloadId: id, container: 'a', command: ['false'], tty: false };
    expect(await provider.exec?.(query, { sizes: NO_SIZES }, signal)).toBe(0);
    await provider.attach?.(query, { sizes: NO_SIZES }, signal);
    await expect(provider.connect?.({ workloadId: id, port: 80 }, signal)).rejects.toThrow('nobody listens at port 80');
    await expect(provider.exec?.({ ...query, container: 'b' }, { sizes: NO_SIZES }, signal)).rejects.toThrow(
      NotFoundError,
    );
  });
});
