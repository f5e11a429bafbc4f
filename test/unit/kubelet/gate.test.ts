import { describe, expect, it } from 'vitest';
import { PermanentError, TransientError } from '../../../src/core/errors.ts';
import { API_SERVER, KubeletWorld, requestOf } from './kubelet-world.ts';

const PATHS = [
  '/containerLogs/default/web/app',
  '/exec/default/web/app?command=ls',
  '/attach/default/web/app',
  '/portForward/default/web',
  '/run/default/web/app?cmd=ls',
  '/pods',
  '/runningpods/',
  '/runningpods',
  '/healthz',
  '/healthz/ping',
  '/logs/',
  '/metrics',
  '/stats/summary',
  '/nothing',
  '/%zz',
];
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
const EVERYTHING = PATHS.flatMap((path) => METHODS.map((method) => ({ method, path })));
const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });

describe('the gate', () => {
  describe.each([
    { who: 'nobody', credentials: {} },
    { who: 'an unknown token', credentials: bearer('wrong') },
    { who: 'a password', credentials: { headers: { authorization: 'Basic YTpi' } } },
    { who: 'an empty token', credentials: bearer('') },
    {
      who: 'a certificate without a name',
      credentials: { clientCertificate: { subject: { commonName: '', organizations: ['system:masters'] } } },
    },
  ])('$who', ({ credentials }) => {
    it.each(EVERYTHING)('gets 401 for $method $path and nothing is looked up', async ({ method, path }) => {
      const world = new KubeletWorld();
      world.addPod('web');

      const response = await world.api(requestOf(method, path, credentials));

      expect(response.status).toBe(401);
      expect(response.body).toBe('Unauthorized');
      expect(world.kubernetes.calls.map((call) => call.method).filter((name) => name !== 'access.reviewToken')).toEqual(
        [],
      );
      expect(world.provider.calls).toEqual([]);
    });
  });

  describe.each([
    { who: 'a certificate', credentials: { clientCertificate: API_SERVER } },
    { who: 'a token', credentials: bearer('good') },
  ])('$who without the right', ({ credentials }) => {
    it.each(EVERYTHING)('gets 403 for $method $path and nothing is looked up', async ({ method, path }) => {
      const world = new KubeletWorld();
      world.addPod('web');
      world.kubernetes.putToken('good', { username: 'jane', groups: [] });
      world.kubernetes.allowAccess(() => false);

      const response = await world.api(requestOf(method, path, credentials));

      expect(response.status).toBe(403);
      expect(world.kubernetes.calls.map((call) => call.method).filter((name) => !name.startsWith('access.'))).toEqual(
        [],
      );
      expect(world.provider.calls).toEqual([]);
    });
  });

  it('says who was refused what, in kubelet’s words', async () => {
    const world = new KubeletWorld();
    world.kubernetes.allowAccess(() => false);
    const response = await world.get('/pods');
    expect(response.body).toBe(
      'Forbidden (user=kube-apiserver-kubelet-client, verb=get, resource=nodes, subresource(s)=[pods proxy])',
    );
  });

  it('asks about a certificate of system:masters like about any other', async () => {
    const world = new KubeletWorld();
    await world.get('/healthz');
    expect(world.kubernetes.calls).toEqual([
      {
        method: 'access.reviewAccess',
        args: [
          { username: 'kube-apiserver-kubelet-client', groups: ['system:masters', 'system:authenticated'] },
          { verb: 'get', resource: 'nodes', subresource: 'healthz', name: 'vk-a' },
        ],
      },
    ]);
  });

  it('admits by nodes/proxy where the finer right is missing', async () => {
    const world = new KubeletWorld();
    world.kubernetes.allowAccess((_, { subresource }) => subresource === 'proxy');
    expect((await world.get('/pods')).status).toBe(200);
  });

  it('lets a token read the log it may read, and no other node’s or pod’s right does', async () => {
    const world = new KubeletWorld();
    world.kubernetes.putToken('good', { username: 'jane', groups: ['dev'] });
    const uid = world.addPod('web');
    world.provider.print(await world.run(uid), 'app', 'hello');
    const ask = (): Promise<{ readonly status: number }> =>
      world.api(requestOf('GET', '/containerLogs/default/web/app', bearer('good')));

    world.kubernetes.allowAccess(({ username, groups }, { verb, resource, subresource, namespace, name }) => {
      expect(groups).toEqual(['dev', 'system:authenticated']);
      return `${username} ${verb} ${resource}/${subresource} ${namespace}/${name}` === 'jane get pods/log default/web';
    });
    expect((await ask()).status).toBe(200);

    const other = new KubeletWorld();
    other.kubernetes.putToken('good', { username: 'jane', groups: ['dev'] });
    other.kubernetes.allowAccess((_, { resource }) => resource === 'nodes');
    expect((await other.api(requestOf('GET', '/containerLogs/default/web/app', bearer('good')))).status).toBe(403);
  });

  it('takes the certificate where both are there', async () => {
    const world = new KubeletWorld();
    await world.get('/healthz', bearer('wrong'));
    expect(world.kubernetes.count('access.reviewToken')).toBe(0);
  });

  it.each(['bearer good', 'BEARER good', 'Bearer good ignored'])('reads the header %s', async (authorization) => {
    const world = new KubeletWorld();
    world.kubernetes.putToken('good', { username: 'jane', groups: [] });
    expect((await world.api(requestOf('GET', '/healthz', { headers: { authorization } }))).status).toBe(200);
  });

  const ofBrowser = (protocols: string, upgrade = 'websocket') => ({
    headers: { connection: 'Upgrade', upgrade, 'sec-websocket-protocol': protocols },
  });
  // `good` in base64url.
  const GOOD = 'base64url.bearer.authorization.k8s.io.Z29vZA';

  it.each([
    { protocols: `${GOOD}, v4.channel.k8s.io`, status: 200 },
    { protocols: `v4.channel.k8s.io,${GOOD}`, status: 200 },
    { protocols: GOOD, status: 401 },
    { protocols: `${GOOD}, ${GOOD}, v4.channel.k8s.io`, status: 401 },
    { protocols: `${GOOD}=, v4.channel.k8s.io`, status: 401 },
    { protocols: 'base64url.bearer.authorization.k8s.io.AAAA, v4.channel.k8s.io', status: 401 },
    { protocols: 'base64url.bearer.authorization.k8s.io., v4.channel.k8s.io', status: 401 },
    { protocols: `${GOOD}, v4.channel.k8s.io`, upgrade: 'SPDY/3.1', status: 401 },
  ])('answers $status to the protocols $protocols of a $upgrade', async ({ protocols, upgrade, status }) => {
    const world = new KubeletWorld();
    world.kubernetes.putToken('good', { username: 'jane', groups: [] });
    expect((await world.api(requestOf('GET', '/healthz', ofBrowser(protocols, upgrade)))).status).toBe(status);
  });

  it('refuses, and remembers nothing, where the token review fails', async () => {
    const world = new KubeletWorld();
    world.kubernetes.putToken('good', { username: 'jane', groups: [] });
    world.kubernetes.failNext('access.reviewToken', new PermanentError('tokenreviews is forbidden'));
    const ask = (): Promise<{ readonly status: number }> => world.api(requestOf('GET', '/healthz', bearer('good')));

    expect((await ask()).status).toBe(401);
    expect((await ask()).status).toBe(200);
    expect(JSON.stringify(world.logger.lines)).not.toContain('good');
  });

  it('refuses, and remembers nothing, where the access review fails', async () => {
    const world = new KubeletWorld();
    world.kubernetes.failNext('access.reviewAccess', new TransientError('no answer'));

    const response = await world.get('/healthz');
    expect(response.status).toBe(500);
    expect(response.body).toBe(
      'Authorization error (user=kube-apiserver-kubelet-client, verb=get, resource=nodes, subresource=healthz)',
    );
    expect((await world.get('/healthz')).status).toBe(200);
  });

  it('remembers an accepted token for two minutes', async () => {
    const world = new KubeletWorld();
    world.kubernetes.putToken('good', { username: 'jane', groups: [] });
    const ask = (): Promise<unknown> => world.api(requestOf('GET', '/healthz', bearer('good')));

    await ask();
    await world.clock.advance(119_999);
    await ask();
    expect(world.kubernetes.count('access.reviewToken')).toBe(1);
    await world.clock.advance(1);
    await ask();
    expect(world.kubernetes.count('access.reviewToken')).toBe(2);
  });

  it('asks about a refused token again after half a minute', async () => {
    const world = new KubeletWorld();
    const ask = (): Promise<{ readonly status: number }> => world.api(requestOf('GET', '/healthz', bearer('late')));

    expect((await ask()).status).toBe(401);
    world.kubernetes.putToken('late', { username: 'jane', groups: [] });
    await world.clock.advance(29_999);
    expect((await ask()).status).toBe(401);
    expect(world.kubernetes.count('access.reviewToken')).toBe(1);
    await world.clock.advance(1);
    expect((await ask()).status).toBe(200);
  });

  it('remembers a right for five minutes', async () => {
    const world = new KubeletWorld();
    await world.get('/healthz');
    world.kubernetes.allowAccess(() => false);
    await world.clock.advance(299_999);
    expect((await world.get('/healthz')).status).toBe(200);
    await world.clock.advance(1);
    expect((await world.get('/healthz')).status).toBe(403);
  });

  it('remembers a refusal for half a minute', async () => {
    const world = new KubeletWorld();
    world.kubernetes.allowAccess(() => false);
    await world.get('/metrics');
    world.kubernetes.allowAccess(() => true);
    await world.clock.advance(29_999);
    expect((await world.get('/metrics')).status).toBe(403);
    await world.clock.advance(1);
    expect((await world.get('/metrics')).status).toBe(200);
  });

  it('gives no user another user’s answer', async () => {
    const world = new KubeletWorld();
    world.kubernetes.allowAccess(({ groups }) => groups.includes('admins'));
    const ask = async (organizations: readonly string[]): Promise<number> => {
      const clientCertificate = { subject: { commonName: 'jane', organizations } };
      return (await world.get('/healthz', { clientCertificate })).status;
    };
    expect(await ask(['admins'])).toBe(200);
    expect(await ask(['guests'])).toBe(403);
  });

  it('lets anonymous requests pass only where that was asked for, and checks credentials all the same', async () => {
    const world = new KubeletWorld({ insecureAllowAnonymous: true });
    world.kubernetes.allowAccess(() => false);
    expect((await world.api(requestOf('GET', '/healthz'))).status).toBe(200);
    expect((await world.get('/healthz')).status).toBe(403);
    expect((await world.api(requestOf('GET', '/healthz', bearer('wrong')))).status).toBe(401);
    expect((await world.api(requestOf('GET', '/healthz', ofBrowser(`${GOOD}, v4.channel.k8s.io`)))).status).toBe(401);
  });
});
