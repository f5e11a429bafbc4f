import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, readlink, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { describeAddress, engineAddress } from '../../../../../infra/local/runtimes/docker/engine-address.ts';
import { Limiter } from '../../../../../infra/local/runtimes/docker/limiter.ts';
import { OutputFrames } from '../../../../../infra/local/runtimes/docker/output-frames.ts';
import { pauseProgram } from '../../../../../infra/local/runtimes/docker/pause-program.ts';
import { tarOf } from '../../../../../infra/local/runtimes/docker/tar.ts';

describe('the engine’s address', () => {
  it.each([
    { host: '', address: { socketPath: '/var/run/docker.sock' }, name: '/var/run/docker.sock' },
    {
      host: 'unix:///run/user/1000/docker.sock',
      address: { socketPath: '/run/user/1000/docker.sock' },
      name: '/run/user/1000/docker.sock',
    },
    { host: 'tcp://127.0.0.1:2375', address: { host: '127.0.0.1', port: 2375 }, name: '127.0.0.1:2375' },
    { host: 'tcp://[::1]:2375/', address: { host: '::1', port: 2375 }, name: '::1:2375' },
  ])('is read from "$host"', ({ host, address, name }) => {
    expect(engineAddress(host)).toEqual(address);
    expect(describeAddress(engineAddress(host))).toBe(name);
  });

  it.each(['ssh://me@host', 'docker.sock', 'tcp://host'])('is not %s', (host) => {
    expect(() => engineAddress(host)).toThrow(`DOCKER_HOST: "${host}" is neither unix://PATH nor tcp://HOST:PORT`);
  });
});

describe('what a container writes', () => {
  const frame = (stream: number, text: string): Buffer => {
    const head = Buffer.from([stream, 0, 0, 0, 0, 0, 0, 0]);
    head.writeUInt32BE(Buffer.byteLength(text), 4);
    return Buffer.concat([head, Buffer.from(text)]);
  };

  it('comes out of its frames however they are cut', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.constantFrom(1, 2), fc.string())),
        fc.integer({ min: 1, max: 20 }),
        (writes, size) => {
          const data = Buffer.concat(writes.map(([stream, text]) => frame(stream, text)));
          const out: Uint8Array[] = [];
          const frames = new OutputFrames((piece) => out.push(piece));
          for (let start = 0; start < data.length; start += size) frames.push(data.subarray(start, start + size));
          expect(Buffer.concat(out).toString()).toBe(writes.map(([, text]) => text).join(''));
        },
      ),
    );
  });
});

describe('an archive', () => {
  it('is one that tar reads', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'svk-tar-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const archive = tarOf([
      { kind: 'folder', path: 'bin/', mode: 0o755 },
      { kind: 'file', path: 'bin/tool', mode: 0o750, content: Buffer.from('x'.repeat(513)) },
      { kind: 'link', path: 'bin/alias', target: 'tool' },
      { kind: 'file', path: 'empty', mode: 0o600, content: Buffer.alloc(0) },
    ]);
    await writeFile(join(folder, 'a.tar'), archive);
    execFileSync('tar', ['-xf', 'a.tar'], { cwd: folder });
    expect((await readFile(join(folder, 'bin/tool'))).length).toBe(513);
    expect((await stat(join(folder, 'bin/tool'))).mode & 0o777).toBe(0o750);
    expect(await readlink(join(folder, 'bin/alias'))).toBe('tool');
    expect((await stat(join(folder, 'empty'))).size).toBe(0);
  });

  it('takes no path that does not fit', () => {
    expect(() => tarOf([{ kind: 'folder', path: 'x'.repeat(101), mode: 0o755 }])).toThrow('longer than 100 bytes');
  });
});

describe('the pause program', () => {
  it.each([
    { architecture: 'x86_64', machine: 62, bytes: 182 },
    { architecture: 'aarch64', machine: 183, bytes: 204 },
  ])('is a tiny executable for $architecture', ({ architecture, machine, bytes }) => {
    const program = pauseProgram(architecture);
    expect(program.length).toBe(bytes);
    expect(program.subarray(0, 4).toString('latin1')).toBe('\u007fELF');
    expect(program.readUInt16LE(18)).toBe(machine);
  });

  it('is not there for other machines', () => {
    expect(() => pauseProgram('riscv64')).toThrow(
      'the container engine runs on riscv64: only amd64 and arm64 are known',
    );
  });
});

describe('a limiter', () => {
  it('lets so many act at once, the others in order, and goes on after a failure', async () => {
    const limiter = new Limiter(2);
    const began: number[] = [];
    const ends: (() => void)[] = [];
    const act = (index: number): Promise<void> =>
      limiter.run(async () => {
        began.push(index);
        await new Promise<void>((resolve, reject) => {
          ends[index] = index === 0 ? () => reject(new Error('broken')) : resolve;
        });
      });
    const acts = [act(0), act(1), act(2), act(3)];
    const outcomes = Promise.allSettled(acts);
    expect(began).toEqual([0, 1]);
    ends[0]?.();
    await expect(acts[0]).rejects.toThrow('broken');
    await Promise.resolve();
    expect(began).toEqual([0, 1, 2]);
    for (const index of [1, 2]) ends[index]?.();
    await acts[2];
    await Promise.resolve();
    ends[3]?.();
    expect((await outcomes).map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled', 'fulfilled']);
  });
});
