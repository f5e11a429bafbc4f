import { describe, expect, it } from 'vitest';
import { InvalidError, NotFoundError } from '../../../src/core/errors.ts';
import type { Provider } from '../../../src/ports/provider.ts';
import { API_SERVER, bodyOf, KubeletWorld, requestOf } from './kubelet-world.ts';

const withExec = async (exec: NonNullable<Provider['exec']>) => {
  const world = new KubeletWorld();
  const uid = world.addPod('web');
  await world.run(uid);
  world.teach({ exec });
  const run = (query: string) =>
    world.api(requestOf('POST', `/run/default/web/app?${query}`, { clientCertificate: API_SERVER }));
  return { world, uid, run };
};

describe('run', () => {
  it('answers what the command printed on both streams', async () => {
    const { run } = await withExec(async ({ command }, { stdout, stderr }) => {
      stdout?.write(`${command.join('|')}\n`);
      stderr?.write(Uint8Array.of(0xff, 0x00));
      return 0;
    });
    const response = await run('cmd=ls+-l');
    expect([response.status, response.headers['svk-exit-code']]).toEqual([200, '0']);
    expect(response.body).toEqual(Buffer.concat([Buffer.from('ls|-l\n'), Buffer.of(0xff, 0x00)]));
  });

  it('X-02 takes each argument as it is by command', async () => {
    const { run } = await withExec(async ({ command }, { stdout }) => {
      stdout?.write(JSON.stringify(command));
      return 0;
    });
    expect(await bodyOf(await run('command=sh&command=-c&command=echo+%22a++b%22%0A'))).toBe(
      '["sh","-c","echo \\"a  b\\"\\n"]',
    );
  });

  it('answers 500 for another exit code, with the output', async () => {
    const { run, world, uid } = await withExec(async (_query, { stderr }) => {
      stderr?.write('no such file\n');
      return 2;
    });
    const response = await run('command=ls&command=%2Fsecret');
    expect([response.status, response.headers['svk-exit-code']]).toEqual([500, '2']);
    expect(await bodyOf(response)).toBe("command 'ls' exited with 2: no such file\n");
    expect(world.logger.lines.filter(({ message }) => message === 'session ended')).toEqual([
      {
        level: 'info',
        message: 'session ended',
        fields: {
          session: 'run',
          user: 'kube-apiserver-kubelet-client',
          namespace: 'default',
          pod: 'web',
          podUid: uid,
          container: 'app',
          program: 'ls',
          transport: 'http',
          durationMs: 0,
          bytesIn: 0,
          bytesOut: 13,
          result: 'exit 2',
        },
      },
    ]);
  });

  it('ends a command that takes longer than 25 s', async () => {
    let ended = false;
    const { run, world } = await withExec(
      (_query, _streams, signal) =>
        new Promise((_, reject) => {
          signal.addEventListener('abort', () => {
            ended = true;
            reject(new Error('ended'));
          });
        }),
    );
    const response = run('cmd=sleep');
    await world.clock.advance(24_999);
    expect(ended).toBe(false);
    await world.clock.advance(1);
    expect(await response).toMatchObject({ status: 504, body: expect.stringContaining('within 25 s') });
    expect(ended).toBe(true);
    expect(world.logger.lines.at(-1)?.fields).toMatchObject({ result: 'cut: too late' });
  });

  it('ends a command that prints more than 4 MiB', async () => {
    const { run } = await withExec(async (_query, { stdout }, signal) => {
      for (let written = 0; !signal.aborted; written += 65_536) {
        if (written > 8_388_608) throw new Error('it was let go on');
        stdout?.write(Buffer.alloc(65_536));
      }
      throw new Error('ended');
    });
    expect(await run('cmd=yes')).toMatchObject({ status: 500, body: expect.stringContaining('more than 4 MiB') });
  });

  it.each([
    { error: new NotFoundError('container app does not run'), status: 404, body: 'container app does not run' },
    { error: new InvalidError('no such program: lz'), status: 400, body: 'no such program: lz' },
    { error: new Error('secret detail'), status: 500, body: 'internal error' },
  ])('answers $status where it is not started', async ({ error, status, body }) => {
    const { run } = await withExec(() => Promise.reject(error));
    expect(await run('cmd=lz')).toMatchObject({ status, body });
  });

  it('needs a command', async () => {
    const { run } = await withExec(async () => 0);
    expect((await run('')).status).toBe(400);
  });

  it.each(['cmd=ls+%00', 'command=ls&command=%C3'])(
    'X-02 does not run %s, which cannot be passed on',
    async (query) => {
      const { run } = await withExec(() => Promise.reject(new Error('it was run')));
      expect((await run(query)).status).toBe(400);
    },
  );
});
