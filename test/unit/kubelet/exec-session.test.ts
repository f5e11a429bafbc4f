import { describe, expect, it } from 'vitest';
import { InvalidError } from '../../../src/core/errors.ts';
import type { SessionQuery } from '../../../src/model/remote-query.ts';
import { API_SERVER, bodyOf, KubeletWorld, requestOf } from './kubelet-world.ts';

const SESSION = 'application/vnd.svk.session+json';
const opened = {
  sessionId: 's-1',
  streamUrl: 'wss://x/?X-Amz-Signature=secret',
  tokenValue: 'secret-token',
  framing: '{}',
};

const aWorld = async ({ refuses }: { readonly refuses?: Error } = {}) => {
  const world = new KubeletWorld();
  const uid = world.addPod('web');
  await world.run(uid);
  const asked: SessionQuery[] = [];
  world.teach({
    openSession: async (query) => {
      asked.push(query);
      if (refuses) throw refuses;
      return opened;
    },
  });
  const ask = (query: string, { accept = SESSION, method = 'POST', pod = 'web' } = {}) =>
    world.api(
      requestOf(method, `/exec/default/${pod}/app?${query}`, { clientCertificate: API_SERVER, headers: { accept } }),
    );
  return { world, uid, asked, ask };
};

describe('a brokered exec session', () => {
  it('is opened and handed to the caller, and kept by nobody on the way', async () => {
    const { asked, ask } = await aWorld();
    const response = await ask('command=ls&command=-l&input=1&output=1&error=1');
    expect([response.status, response.headers['content-type'], response.headers['cache-control']]).toEqual([
      200,
      SESSION,
      'no-store',
    ]);
    expect(JSON.parse(await bodyOf(response))).toEqual(opened);
    expect(asked).toEqual([
      expect.objectContaining({ container: 'app', command: ['ls', '-l'], tty: false, stdin: true, direct: false }),
    ]);
  });

  it('hands on a terminal, and an image without a shell', async () => {
    const { asked, ask } = await aWorld();
    await ask('command=sh&output=1&tty=1&direct=1');
    expect(asked).toEqual([expect.objectContaining({ tty: true, stdin: false, direct: true })]);
  });

  it('leaves one audit line: who, where, what program, which session; no argument, no secret', async () => {
    const { world, uid, ask } = await aWorld();
    await ask('command=mysql&command=-psecret-password&output=1');
    expect(world.logger.lines).toEqual([
      {
        level: 'info',
        message: 'session brokered',
        fields: {
          session: 'exec',
          user: 'kube-apiserver-kubelet-client',
          namespace: 'default',
          pod: 'web',
          podUid: uid,
          container: 'app',
          program: 'mysql',
          sessionId: 's-1',
          startedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT/) as unknown,
        },
      },
    ]);
    expect(JSON.stringify(world.logger.lines)).not.toContain('secret');
  });

  it.each([
    { want: 'no stream', query: 'command=ls', status: 400 },
    { want: 'no command', query: 'output=1', status: 400 },
    { want: 'a NUL character in the command', query: 'command=ls&command=%00&output=1', status: 400 },
    { want: 'a command that is no UTF-8', query: 'command=ls&command=%ff&output=1', status: 400 },
    { want: 'a pod that is not there', query: 'command=ls&output=1', pod: 'other', status: 404 },
  ])('is refused for $want, without asking the provider', async ({ query, pod = 'web', status }) => {
    const { asked, ask } = await aWorld();
    expect((await ask(query, { pod })).status).toBe(status);
    expect(asked).toEqual([]);
  });

  it('tells why the provider refuses', async () => {
    const { ask } = await aWorld({ refuses: new InvalidError('exec is off for this pod') });
    const response = await ask('command=ls&output=1');
    expect([response.status, await bodyOf(response)]).toEqual([400, 'exec is off for this pod']);
  });

  it('is asked for by its media type alone: others get the refusal of an upgrade', async () => {
    const { asked, ask } = await aWorld();
    expect((await ask('command=ls&output=1', { accept: '*/*' })).status).toBe(501);
    expect((await ask('command=ls&output=1', { method: 'GET' })).status).toBe(501);
    expect((await ask('command=ls&output=1', { accept: `text/plain, ${SESSION};q=1` })).status).toBe(200);
    expect(asked).toHaveLength(1);
  });

  it('is no matter of providers without sessions', async () => {
    const world = new KubeletWorld();
    await world.run(world.addPod('web'));
    const request = requestOf('POST', '/exec/default/web/app?command=ls&output=1', {
      clientCertificate: API_SERVER,
      headers: { accept: SESSION },
    });
    expect((await world.api(request)).status).toBe(501);
  });
});
