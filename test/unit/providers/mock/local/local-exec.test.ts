import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { PassThrough } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { SystemClock } from '../../../../../src/adapters/system/system-clock.ts';
import { InvalidError, TransientError } from '../../../../../src/core/errors.ts';
import type { TerminalSize } from '../../../../../src/core/terminal-size.ts';
import { LocalMachine } from '../../../../../src/providers/mock/local/local-machine.ts';
import { openTerminal } from '../../../../../src/providers/mock/local/open-terminal.ts';

const ENVIRONMENT = { PATH: process.env['PATH'] ?? '', HOME: '/', LANG: 'C.UTF-8' };
const machine = new LocalMachine({ clock: new SystemClock(), environment: ENVIRONMENT });

interface Run {
  readonly exitCode: Promise<number>;
  readonly stdin: PassThrough;
  readonly stdout: PassThrough;
  readonly stderr: PassThrough;
  readonly output: () => Buffer;
  readonly errors: () => string;
  readonly leave: () => void;
}

const exec = (
  command: readonly string[],
  { tty = false, sizes = [] }: { readonly tty?: boolean; readonly sizes?: readonly TerminalSize[] } = {},
): Run => {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const left = new AbortController();
  const [out, err]: [Buffer[], Buffer[]] = [[], []];
  stdout.on('data', (chunk: Buffer) => out.push(chunk));
  stderr.on('data', (chunk: Buffer) => err.push(chunk));
  const streams = { stdin, stdout, ...(!tty && { stderr }), sizes: later(sizes) };
  const query = { workloadId: 'w', container: 'c', command, tty };
  return {
    exitCode: machine.exec(query, streams, left.signal),
    stdin,
    stdout,
    stderr,
    output: () => Buffer.concat(out),
    errors: () => Buffer.concat(err).toString(),
    leave: () => left.abort(),
  };
};

async function* later(sizes: readonly TerminalSize[]): AsyncGenerator<TerminalSize, void> {
  for (const size of sizes) {
    yield size;
    await delay(300);
  }
}

const until = async (what: string, isSo: () => boolean): Promise<void> => {
  for (let left = 500; !isSo(); left -= 1) {
    if (left === 0) throw new Error(`not in time: ${what}`);
    await delay(20);
  }
};

const runs = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    // One that nobody has waited for yet is not running any more.
    return !spawnSync('ps', ['-o', 'stat=', '-p', String(pid)])
      .stdout.toString()
      .startsWith('Z');
  } catch {
    return false;
  }
};

describe('a command with pipes', () => {
  it.each([
    { command: ['true'], exitCode: 0 },
    { command: ['sh', '-c', 'exit 3'], exitCode: 3 },
    { command: ['sh', '-c', 'kill -9 $$'], exitCode: 137 },
    { command: ['sh', '-c', 'kill -15 $$'], exitCode: 143 },
  ])('ends with $exitCode: $command', async ({ command, exitCode }) => {
    expect(await exec(command).exitCode).toBe(exitCode);
  });

  it('X-02 gets its arguments exactly, and keeps its streams apart', async () => {
    const command = ['sh', '-c', 'printf "%s|" "$@"; printf err >&2', 'sh', 'a  b', "it's", '$HOME', 'line\nbreak', ''];
    const run = exec(command);
    expect(await run.exitCode).toBe(0);
    expect(run.output().toString()).toBe("a  b|it's|$HOME|line\nbreak||");
    expect(run.errors()).toBe('err');
  });

  it('X-05 sees the end of its input, every byte before it', async () => {
    const run = exec(['cat']);
    const bytes = Buffer.from(Array.from({ length: 300_001 }, (_, index) => (index * 131) & 255));
    run.stdin.end(bytes);
    expect(await run.exitCode).toBe(0);
    expect(run.output().equals(bytes)).toBe(true);
  });

  it('may end without reading its input', async () => {
    const run = exec(['true']);
    run.stdin.end(Buffer.alloc(4_000_000));
    expect(await run.exitCode).toBe(0);
    await until('the rest is dropped', () => run.stdin.readableEnded);
  });

  it.each([
    { command: ['no-such-program-1'], text: 'exec: "no-such-program-1": executable file not found in $PATH' },
    { command: ['/no/such/file'], text: 'exec: "/no/such/file": no such file or directory' },
    { command: ['./package.json'], text: 'exec: "./package.json": permission denied' },
    { command: ['/etc'], text: 'exec: "/etc": permission denied' },
    { command: [''], text: 'exec: "": executable file not found in $PATH' },
  ])('that cannot be started says why: $text', async ({ command, text }) => {
    for (const tty of [false, true]) {
      const failed = exec(command, { tty }).exitCode;
      await expect(failed).rejects.toThrow(InvalidError);
      await expect(failed).rejects.toThrow(text);
    }
  });

  it('is killed with all it has started when its caller leaves', async () => {
    const run = exec(['sh', '-c', 'trap "" TERM HUP; sleep 300 & echo $$ $!; wait']);
    await until('it runs', () => run.output().includes('\n'));
    const pids = run.output().toString().trim().split(' ').map(Number);
    run.leave();
    expect(await run.exitCode).toBe(137);
    await until('both are gone', () => !pids.some(runs));
  });

  it('finds nothing of our environment but what a shell needs', async () => {
    const run = exec(['env']);
    await run.exitCode;
    const names = run
      .output()
      .toString()
      .trim()
      .split('\n')
      .map((line) => line.split('=')[0]);
    expect(names.toSorted((a = '', b = '') => a.localeCompare(b))).toEqual(['HOME', 'LANG', 'PATH']);
  });
});

describe('a command in a terminal', () => {
  it('has one, of the size its caller says, and is told of changes', async () => {
    const script = 'trap "stty size; exit 9" WINCH; tty; stty size; while :; do sleep 0.05; done';
    const run = exec(['sh', '-c', script], {
      tty: true,
      sizes: [
        { columns: 101, rows: 31 },
        { columns: 133, rows: 40 },
      ],
    });
    expect(await run.exitCode).toBe(9);
    expect(run.output().toString()).toMatch(/^\/dev\/pts\/\d+\r\n31 101\r\n40 133\r\n$/);
  });

  it('is interrupted by Ctrl-C', async () => {
    const run = exec(['sh', '-c', 'trap "exit 130" INT; echo ready; while :; do sleep 0.05; done'], { tty: true });
    await until('it runs', () => run.output().includes('ready'));
    run.stdin.write(Uint8Array.of(3));
    expect(await run.exitCode).toBe(130);
  });

  it('loses nothing of a long output', async () => {
    const run = exec(['sh', '-c', 'stty raw; head -c 3000000 /dev/zero; exit 3'], { tty: true });
    expect(await run.exitCode).toBe(3);
    expect(run.output().length).toBe(3_000_000);
  });

  it('is hung up when its caller leaves', async () => {
    const run = exec(['sh', '-c', 'echo $$; sleep 300'], { tty: true });
    await until('it runs', () => run.output().includes('\n'));
    const pid = Number(run.output().toString().trim());
    run.leave();
    expect(await run.exitCode).toBe(129);
    expect(runs(pid)).toBe(false);
  });
});

it('a command in a terminal that does not hang up is killed', async () => {
  const run = exec(['sh', '-c', 'trap "" HUP; echo up; while :; do sleep 0.1; done'], { tty: true });
  await until('it runs', () => run.output().includes('up'));
  run.leave();
  expect(await run.exitCode).toBe(137);
});

describe('a terminal without the library', () => {
  const open = async (command: readonly string[]) => {
    const chunks: Uint8Array[] = [];
    const launch = { command, environment: { ...ENVIRONMENT, TERM: 'xterm' } };
    const missing = () => Promise.reject(new Error('not installed'));
    const terminal = await openTerminal(
      launch,
      { columns: 101, rows: 31 },
      (data) => void chunks.push(Buffer.from(data)),
      missing,
    );
    return { terminal, output: () => Buffer.concat(chunks).toString() };
  };

  it('has its size, exact arguments, and an exit code', async () => {
    const { terminal, output } = await open([
      'sh',
      '-c',
      'stty size; printf "%s|" "$@"; exit 9',
      'sh',
      "it's",
      '$HOME',
    ]);
    expect(await terminal.ended).toBe(9);
    expect(output()).toBe("31 101\r\nit's|$HOME|");
  });

  it('is typed into, resized and hung up', async () => {
    const { terminal, output } = await open([
      'sh',
      '-c',
      'trap "stty size" WINCH; echo up; while :; do sleep 0.05; done',
    ]);
    await until('it runs', () => output().includes('up'));
    terminal.resize({ columns: 133, rows: 40 });
    await until('it knows', () => output().includes('40 133'));
    terminal.end('SIGHUP');
    expect(await terminal.ended).toBeGreaterThan(0);
  });
});

describe('a port', () => {
  it('is one of this machine, each half ending by itself', async () => {
    const server = createServer({ allowHalfOpen: true }, (socket) => {
      socket.on('data', (data) => socket.write(data)).on('end', () => socket.end('bye'));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as { readonly port: number };
    const { signal } = new AbortController();
    const socket = await machine.connect(port, signal);
    socket.end('hello ');
    const chunks: Buffer[] = [];
    for await (const chunk of socket) chunks.push(chunk as Buffer);
    expect(Buffer.concat(chunks).toString()).toBe('hello bye');
    server.close();
    await once(server, 'close');
    await expect(machine.connect(port, signal)).rejects.toThrow(TransientError);
  });
});
