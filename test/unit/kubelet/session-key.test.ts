import { describe, expect, it } from 'vitest';
import { PermanentError } from '../../../src/core/errors.ts';
import type { SessionKeyQuery } from '../../../src/model/remote-query.ts';
import { API_SERVER, bodyOf, KubeletWorld, requestOf } from './kubelet-world.ts';

const SESSION_KEY = 'application/vnd.svk.session-key+json';
const KEY_ID = 'arn:aws:kms:eu-west-1:123456789012:key/0a1b2c3d';
const QUERY = `session=ecs-execute-command-0123456789abcdef0&key=${KEY_ID}&challenge=k26IIFaRTnoICWRKhJvcFA%3D%3D`;

const aWorld = async (refuses?: Error) => {
  const world = new KubeletWorld();
  const uid = world.addPod('web');
  const workloadId = await world.run(uid);
  const asked: SessionKeyQuery[] = [];
  Object.assign(world.provider, {
    sessionKey: async (query: SessionKeyQuery) => {
      asked.push(query);
      if (refuses) throw refuses;
      return { plaintext: Buffer.from('secret'), ciphertext: Buffer.from('sealed') };
    },
  });
  const ask = (query: string, { pod = 'web', container = 'app' } = {}) =>
    world.api(
      requestOf('POST', `/exec/default/${pod}/${container}?${query}`, {
        clientCertificate: API_SERVER,
        headers: { accept: SESSION_KEY },
      }),
    );
  return { world, uid, workloadId, asked, ask };
};

describe('the data key of a brokered session', () => {
  it('is made for this container, and kept by nobody on the way', async () => {
    const { workloadId, asked, ask } = await aWorld();
    const response = await ask(QUERY);
    expect([response.status, response.headers['content-type'], response.headers['cache-control']]).toEqual([
      200,
      SESSION_KEY,
      'no-store',
    ]);
    expect(JSON.parse(await bodyOf(response))).toEqual({ plaintext: 'c2VjcmV0', ciphertext: 'c2VhbGVk' });
    expect(asked).toEqual([
      {
        workloadId,
        container: 'app',
        sessionId: 'ecs-execute-command-0123456789abcdef0',
        keyId: KEY_ID,
        challenge: 'k26IIFaRTnoICWRKhJvcFA==',
      },
    ]);
  });

  it('needs no challenge, which older agents do not send', async () => {
    const { asked, ask } = await aWorld();
    expect((await ask('session=s-1&key=alias/exec')).status).toBe(200);
    expect(asked).toEqual([expect.objectContaining({ keyId: 'alias/exec', challenge: undefined })]);
  });

  it('leaves one audit line, without the key', async () => {
    const { world, uid, ask } = await aWorld();
    await ask(QUERY);
    expect(world.logger.lines).toEqual([
      {
        level: 'info',
        message: 'session key given',
        fields: {
          session: 'exec',
          user: 'kube-apiserver-kubelet-client',
          namespace: 'default',
          pod: 'web',
          podUid: uid,
          container: 'app',
          sessionId: 'ecs-execute-command-0123456789abcdef0',
          keyId: KEY_ID,
        },
      },
    ]);
    expect(JSON.stringify(world.logger.lines)).not.toMatch(/secret|c2Vj/);
  });

  it.each([
    { want: 'no session', query: `key=${KEY_ID}`, status: 400 },
    { want: 'an odd session', query: `session=a%20b&key=${KEY_ID}`, status: 400 },
    { want: 'no key', query: 'session=s-1', status: 400 },
    { want: 'an odd key', query: 'session=s-1&key=a%20b', status: 400 },
    { want: 'an endless challenge', query: `${QUERY}${'A'.repeat(3000)}`, status: 400 },
    { want: 'a pod that is not there', query: QUERY, pod: 'other', status: 404 },
    { want: 'a container that is not there', query: QUERY, container: 'other', status: 404 },
  ])('is refused for $want, without asking the provider', async ({ query, status, ...where }) => {
    const { asked, ask } = await aWorld();
    expect((await ask(query, where)).status).toBe(status);
    expect(asked).toEqual([]);
  });

  it('is given to nobody who may not exec', async () => {
    const { world, asked, ask } = await aWorld();
    world.kubernetes.allowAccess(() => false);
    expect((await ask(QUERY)).status).toBe(403);
    const headers = { accept: SESSION_KEY };
    const stranger = requestOf('POST', `/exec/default/web/app?${QUERY}`, { headers });
    expect((await world.api(stranger)).status).toBe(401);
    expect(asked).toEqual([]);
  });

  it('tells why there is none', async () => {
    const { ask } = await aWorld(new PermanentError('allow kms:GenerateDataKey'));
    const response = await ask(QUERY);
    expect([response.status, await bodyOf(response)]).toEqual([500, 'allow kms:GenerateDataKey']);
  });

  it('is no matter of providers that encrypt nothing', async () => {
    const world = new KubeletWorld();
    await world.run(world.addPod('web'));
    const headers = { accept: SESSION_KEY };
    const request = requestOf('POST', `/exec/default/web/app?${QUERY}`, { clientCertificate: API_SERVER, headers });
    expect((await world.api(request)).status).toBe(501);
  });
});
