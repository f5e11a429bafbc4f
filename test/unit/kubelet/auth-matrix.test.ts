import { once } from 'node:events';
import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import { Agent, request as httpsRequest } from 'node:https';
import type { Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { UserInfo } from '../../../src/ports/kubernetes.ts';
import { type KubeletServer, startKubeletServer } from '../../../src/server/kubelet-server.ts';
import { FakeClock } from '../../fakes/clock.ts';
import { type KeyPair, TestAuthority } from '../server/test-certificates.ts';
import { KubeletWorld } from './kubelet-world.ts';

const PATHS = [
  '/containerLogs/default/web/app',
  '/containerLogs/default/web/app?follow=true',
  '/exec/default/web/app?command=id&output=1',
  '/exec/default/web/0000-uid/app?command=id&output=1',
  '/attach/default/web/app?output=1',
  '/portForward/default/web',
  '/run/default/web/app?cmd=id',
  '/pods',
  '/runningpods/',
  '/stats/summary',
  '/metrics',
  '/metrics/resource',
  '/metrics/cadvisor',
  '/metrics/probes',
  '/healthz',
  '/configz',
  '/logs/',
  '/nothing',
  '/%2e%2e/exec/default/web/app',
  '//exec/default/web/app',
  '/%zz',
];

/** How a request is put. */
const FORMS: readonly { readonly form: string; readonly method: string; readonly headers: OutgoingHttpHeaders }[] = [
  { form: 'GET', method: 'GET', headers: {} },
  { form: 'POST', method: 'POST', headers: {} },
  { form: 'DELETE', method: 'DELETE', headers: {} },
  {
    form: 'SPDY',
    method: 'POST',
    headers: {
      connection: 'Upgrade',
      upgrade: 'SPDY/3.1',
      'x-stream-protocol-version': ['v4.channel.k8s.io', 'portforward.k8s.io'],
    },
  },
  {
    form: 'WebSocket',
    method: 'GET',
    headers: {
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
      'sec-websocket-protocol': 'v5.channel.k8s.io',
    },
  },
  {
    form: 'unknown token in a WebSocket protocol',
    method: 'GET',
    headers: {
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
      'sec-websocket-protocol': `base64url.bearer.authorization.k8s.io.${Buffer.from('unknown').toString('base64url')}, v5.channel.k8s.io`,
    },
  },
];

const READER = 'reader get pods/log';
const RIGHTS: Readonly<Record<string, string>> = {
  // Who may do everything to another node, or in another namespace, may do nothing here.
  'system:node:vk-b': 'nodes/* vk-b',
  neighbour: 'nodes/* vk-b',
  stranger: 'pods/* other',
};

let clients: TestAuthority;
let server: KubeletServer;
let world: KubeletWorld;
/** Methods of the store of rows, and abilities of the provider, that were called. */
const touched: string[] = [];
const ran = (ability: string): number => {
  touched.push(ability);
  return 0;
};

beforeAll(async () => {
  clients = await TestAuthority.create('CN=client-ca');
  const serving = await clients.issue({ subject: 'O=system:nodes, CN=system:node:vk-a', usage: 'server' });
  world = new KubeletWorld();
  const { kubernetes, podStore, logger } = world;
  const uid = world.addPod('web');
  await world.run(uid);
  world.teach({
    exec: async () => ran('exec'),
    attach: async () => void ran('attach'),
    connect: async () => {
      ran('connect');
      return new PassThrough();
    },
  });
  const watched = ['get', 'knownPods', 'wake', 'claim', 'save'] as const;
  for (const method of watched) {
    const original: unknown = podStore[method];
    if (typeof original !== 'function') continue;
    Object.defineProperty(podStore, method, {
      value: (...args: unknown[]): unknown => {
        touched.push(method);
        return Reflect.apply(original, podStore, args);
      },
    });
  }
  kubernetes.putToken('unprivileged', { username: 'unprivileged', groups: [] });
  kubernetes.putToken('neighbour', { username: 'neighbour', groups: [] });
  kubernetes.putToken('stranger', { username: 'stranger', groups: [] });
  kubernetes.putToken('reader', { username: 'reader', groups: [] });
  kubernetes.allowAccess(({ username }: UserInfo, { resource, name, namespace }) => {
    const rights = RIGHTS[username];
    return rights === `${resource}/* ${name}` || rights === `${resource}/* ${namespace}`;
  });
  server = await startKubeletServer({
    host: '127.0.0.1',
    port: 0,
    certificates: {
      certificate: serving.certificate,
      privateKey: serving.privateKey,
      clientCertificateAuthority: clients.certificate,
    },
    handler: world.upgrading,
    // That of the certificates.
    clock: new FakeClock(Date.now()),
    logger,
  });
});
afterAll(() => server.close(0));
beforeEach(() => {
  world.kubernetes.clearCalls();
  world.provider.calls.length = 0;
  touched.length = 0;
});

interface Identity {
  readonly who: string;
  readonly status: 401 | 403;
  readonly pair?: () => Promise<KeyPair>;
  readonly authorization?: string;
}

const MASTERS = 'O=system:masters, CN=kube-apiserver-kubelet-client';
const anHourAgo = (): Date => new Date(Date.now() - 3_600_000);

const IDENTITIES: readonly Identity[] = [
  { who: 'nobody', status: 401 },
  {
    who: 'a certificate of another CA of the same name',
    status: 401,
    pair: async () => (await TestAuthority.create('CN=client-ca')).issue({ subject: MASTERS }),
  },
  {
    who: 'an expired certificate',
    status: 401,
    pair: () => clients.issue({ subject: MASTERS, notAfter: anHourAgo() }),
  },
  {
    who: 'a certificate for servers',
    status: 401,
    pair: () => clients.issue({ subject: 'O=system:nodes, CN=system:node:vk-a', usage: 'server' }),
  },
  {
    who: 'another node',
    status: 403,
    pair: () => clients.issue({ subject: 'O=system:nodes, CN=system:node:vk-b' }),
  },
  { who: 'a certificate without rights', status: 403, pair: () => clients.issue({ subject: MASTERS }) },
  { who: 'a token of another audience', status: 401, authorization: 'Bearer of-another-audience' },
  { who: 'a token without rights', status: 403, authorization: 'Bearer unprivileged' },
  { who: 'a token with rights on another node', status: 403, authorization: 'Bearer neighbour' },
  { who: 'a token with rights in another namespace', status: 403, authorization: 'Bearer stranger' },
  { who: 'a password', status: 401, authorization: `Basic ${Buffer.from('admin:admin').toString('base64')}` },
];

describe.each(IDENTITIES)('A-04 $who', ({ status, pair, authorization }) => {
  it(`gets ${status} whatever it asks for and however it asks, and nothing is done`, async () => {
    const keys = await pair?.();
    const agent = new Agent({
      ca: clients.certificate,
      maxSockets: 4,
      ...(keys && { cert: keys.certificate, key: keys.privateKey }),
    });
    const asked = PATHS.flatMap((path) => FORMS.map((form) => ({ path, ...form })));
    const answers = await Promise.all(
      asked.map(async ({ path, form, method, headers }) => {
        const all = { ...headers, ...(authorization !== undefined && { authorization }) };
        return `${form} ${path} ${await statusOf({ agent, path, method, headers: all })}`;
      }),
    );
    agent.destroy();

    expect(answers).toEqual(asked.map(({ path, form }) => `${form} ${path} ${status}`));
    expect(answers).toHaveLength(126);
    expect(world.provider.calls).toEqual([]);
    expect(touched).toEqual([]);
    expect(world.kubernetes.calls.map(({ method }) => method).filter((name) => !name.startsWith('access.'))).toEqual(
      [],
    );
  });
});

describe('A-04 a token that may read logs', () => {
  it('reads logs and does nothing else', async () => {
    world.kubernetes.allowAccess(
      ({ username }, { verb, resource, subresource }) => `${username} ${verb} ${resource}/${subresource}` === READER,
    );
    const agent = new Agent({ ca: clients.certificate, maxSockets: 4 });
    const headers = { authorization: 'Bearer reader' };
    for (const { path, form, method, headers: more } of PATHS.flatMap((one) =>
      FORMS.map((way) => ({ path: one, ...way })),
    )) {
      const status = await statusOf({ agent, path, method, headers: { ...headers, ...more } });
      const isLog = path.startsWith('/containerLogs/');
      expect([form, path, isLog ? status !== 403 : status === 403]).toEqual([form, path, true]);
    }
    expect(touched.filter((what) => what !== 'get')).toEqual([]);
    agent.destroy();
  });
});

it('the same requests reach the pod where the caller may', async () => {
  world.kubernetes.allowAccess(({ username }) => username === 'owner');
  const pair = await clients.issue({ subject: 'CN=owner' });
  const agent = new Agent({ ca: clients.certificate, cert: pair.certificate, key: pair.privateKey });
  const ask = (path: string, form: string): Promise<number> => {
    const found = FORMS.find((one) => one.form === form);
    return statusOf({ agent, path, method: found?.method ?? '', headers: found?.headers ?? {} });
  };
  expect(await ask('/pods', 'GET')).toBe(200);
  expect(await ask('/exec/default/web/app?command=id&output=1', 'SPDY')).toBe(101);
  expect(await ask('/exec/default/web/app?command=id&output=1', 'WebSocket')).toBe(101);
  expect(await ask('/portForward/default/web', 'SPDY')).toBe(101);
  expect(touched).toContain('get');
  agent.destroy();
});

const statusOf = async ({
  agent,
  path,
  method,
  headers,
}: {
  readonly agent: Agent;
  readonly path: string;
  readonly method: string;
  readonly headers: OutgoingHttpHeaders;
}): Promise<number> => {
  const call = httpsRequest({ host: '127.0.0.1', port: server.port, path, method, headers, agent });
  const upgraded = once(call, 'upgrade').then(([, socket]) => {
    (socket as Socket).destroy();
    return 101;
  });
  const answered = once(call, 'response').then(([response]) => {
    const message = response as IncomingMessage;
    message.resume();
    return message.statusCode ?? 0;
  });
  upgraded.catch(() => undefined);
  call.end();
  return Promise.race([answered, upgraded]);
};
