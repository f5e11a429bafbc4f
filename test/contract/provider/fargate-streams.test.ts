import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { InvalidError, NotFoundError, TransientError } from '../../../src/core/errors.ts';
import { execStreams } from '../../support/exec-streams.ts';
import { waitFor } from '../../support/local-cloud.ts';
import { aRunningPod } from './a-running-pod.ts';

const { signal } = new AbortController();

/** Files that a container waits for: made, each lets it go one step on. */
const steps = async (): Promise<{ readonly wait: (name: string) => string; make: (name: string) => Promise<void> }> => {
  const folder = await mkdtemp(join(tmpdir(), 'svk-steps-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return {
    wait: (name) => `while [ ! -e ${join(folder, name)} ]; do sleep 0.1; done`,
    make: (name) => writeFile(join(folder, name), ''),
  };
};

describe('attach to a task', () => {
  it('gives what the container prints from then on, until it has ended', async () => {
    const { wait, make } = await steps();
    const script = `echo before; ${wait('go')}; echo after; ${wait('end')}; echo last; exit 3`;
    const { provider, workloadId, printed, logReads } = await aRunningPod(['sh', '-c', script]);
    await printed(/^before\n/);
    const { streams, out, err } = execStreams();
    const readsBefore = logReads();
    const progress = { ended: false };
    const attached = provider.attach({ workloadId, container: 'main', tty: false }, streams, signal).finally(() => {
      progress.ended = true;
    });
    // The first read finds the end of what is there, the second what has come since.
    await waitFor(() => logReads() >= readsBefore + 2, { withinMs: 15_000, what: 'the second read of the log' });
    await make('go');
    await waitFor(() => out().toString() === 'after\n', { withinMs: 15_000, what: 'the line after' });
    expect(progress.ended).toBe(false);
    await make('end');
    await attached;
    expect({ out: out().toString(), err: err().toString() }).toEqual({ out: 'after\nlast\n', err: '' });
    expect(streams.stdout?.writableEnded).toBe(false);
  });

  it('ends where the caller leaves, and the container runs on', async () => {
    const { provider, workloadId, current, logReads } = await aRunningPod(['sleep', '600']);
    const leaving = new AbortController();
    const attached = provider.attach(
      { workloadId, container: 'main', tty: false },
      execStreams().streams,
      leaving.signal,
    );
    await waitFor(() => logReads() >= 2, { withinMs: 15_000, what: 'the second read of the log' });
    leaving.abort(new Error('the caller has left'));
    await attached.catch((error: unknown) => expect(error).toMatchObject({ name: 'AbortError' }));
    expect((await current()).phase).toBe('running');
  });

  it('refuses input, and names what to do instead', async () => {
    const { provider, workloadId } = await aRunningPod(['sleep', '600']);
    const { streams, out } = execStreams({ open: true });
    const attached = provider.attach({ workloadId, container: 'main', tty: false }, streams, signal);
    await expect(attached).rejects.toThrow(InvalidError);
    await expect(attached).rejects.toThrow(/leave out -i .* or start a shell with kubectl exec/);
    expect(out().toString()).toBe('');
  });
});

/** Two listeners, whose ports are printed: one answers once the caller has ended, one tells, ends, and listens on. */
const LISTENERS = `
const net = require('node:net');
const listen = (serve) =>
  new Promise((resolve) => {
    const server = net.createServer({ allowHalfOpen: true }, serve);
    server.listen(0, '0.0.0.0', () => resolve(server.address().port));
  });
const whole = async (socket) => {
  let text = '';
  for await (const piece of socket) text += piece;
  return text;
};
const answers = async (socket) => socket.end('you asked ' + (await whole(socket)) + ' at ' + socket.localAddress);
const tells = async (socket) => {
  socket.end('told');
  console.log('heard ' + (await whole(socket)));
};
Promise.all([listen(answers), listen(tells)]).then((ports) => console.log('ports', ...ports));
`;

const aListeningPod = async () => {
  const pod = await aRunningPod([process.execPath, '-e', LISTENERS]);
  const [, answers, tells] = /^ports (\d+) (\d+)$/m.exec(await pod.printed(/^ports \d+ \d+\n/)) ?? [];
  return { ...pod, answers: Number(answers), tells: Number(tells) };
};

describe('a connection to a port of a task', () => {
  it("goes to the address that ECS reports, and stays open for the answer to a caller's end", async () => {
    const { provider, workloadId, current, answers } = await aListeningPod();
    const socket = await provider.connect({ workloadId, port: answers }, signal);
    socket.end('why');
    expect((await current()).ips).toEqual(['127.8.0.1']);
    expect((await buffer(socket)).toString()).toBe('you asked why at 127.8.0.1');
  });

  it('stays open for the caller where the pod has ended its side', async () => {
    const { provider, workloadId, printed, tells } = await aListeningPod();
    const socket = await provider.connect({ workloadId, port: tells }, signal);
    let told = '';
    socket.on('data', (piece: Buffer) => {
      told += piece.toString();
    });
    await once(socket, 'end');
    expect(told).toBe('told');
    // Later than anything that the end of the other side could set off.
    await new Promise((resolve) => setTimeout(resolve, 200));
    socket.end('all the same');
    await printed(/^heard all the same$/m);
  });

  it('is refused for now where nothing listens, and not at all where the task has stopped', async () => {
    const { provider, workloadId, current, answers } = await aListeningPod();
    const nobody = provider.connect({ workloadId, port: 1 }, signal);
    await expect(nobody).rejects.toThrow(TransientError);
    await expect(nobody).rejects.toThrow(/^port 1 of 127\.8\.0\.1: .*ECONNREFUSED/);
    await provider.stop(workloadId, { graceSeconds: 0, reason: 'the test' }, signal);
    await waitFor(async () => (await current()).phase === 'stopped', { withinMs: 15_000, what: 'the end of the task' });
    const stopped = provider.connect({ workloadId, port: answers }, signal);
    await expect(stopped).rejects.toThrow(NotFoundError);
    await expect(stopped).rejects.toThrow('the task of the pod does not run, or has no address');
    const unknown = provider.connect({ workloadId: `${workloadId.slice(0, -4)}0000`, port: answers }, signal);
    await expect(unknown).rejects.toThrow(NotFoundError);
  });
});
