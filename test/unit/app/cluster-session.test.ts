import { SSMClient } from '@aws-sdk/client-ssm';
import { afterEach, describe, expect, it } from 'vitest';
import { SsmParameters } from '../../../src/adapters/secrets/ssm-parameters.ts';
import { ClusterSessions } from '../../../src/app/cluster-session.ts';
import { createFoundation, type Foundation } from '../../../src/app/foundation.ts';
import { PermanentError } from '../../../src/core/errors.ts';
import { FakeClock } from '../../fakes/clock.ts';
import { ApiServer, json } from '../adapters/kubernetes/api-server.ts';
import { ENVIRONMENT } from './samples.ts';

const { signal } = new AbortController();
const MINUTE = 60_000;
const servers: ApiServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

/** An API server that knows one token. */
const serverFor = async (uid: string): Promise<ApiServer & { accepts: (authorization: string) => boolean }> => {
  const server = Object.assign(await ApiServer.plain(), { accepts: (_authorization: string) => true });
  server.answer = ({ headers, url }, response) => {
    if (!server.accepts(headers.authorization ?? ''))
      json(response, 401, { kind: 'Status', message: 'Unauthorized', code: 401 });
    else json(response, 200, url.endsWith('/kube-system') ? { metadata: { name: 'kube-system', uid } } : { items: [] });
  };
  servers.push(server);
  return server;
};

/** A function's foundation whose parameter says what `stored` says. */
const worldWith = (stored: { credentials: object }) => {
  const clock = new FakeClock();
  let reads = 0;
  const client = {
    send: async () => {
      reads += 1;
      return { Parameter: { Value: JSON.stringify(stored.credentials) } };
    },
  } as unknown as SSMClient;
  const { config } = new SSMClient({
    region: 'eu-west-1',
    credentials: { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret' },
  });
  const foundation: Foundation = {
    ...createFoundation(ENVIRONMENT, 'test'),
    clock,
    parameters: new SsmParameters({ client, clock }),
    identity: { credentials: config.credentials, sha256: config.sha256 },
  };
  const sessions = new ClusterSessions(foundation, (session) => session);
  /** A call whose failure is swallowed further down, as the reconcile of a pod does it. */
  const call = (): Promise<string> =>
    sessions.with(signal, async ({ clusterHash, kubernetes }) => {
      await kubernetes.pods.list('fargate', signal).catch(() => undefined);
      return clusterHash;
    });
  return { clock, call, sessions, reads: () => reads };
};

const authorizations = (server: ApiServer): unknown[] => [
  ...new Set(server.received.map(({ headers }) => headers.authorization)),
];

describe('credentials that are replaced', () => {
  it('are read again after five minutes', async () => {
    const [before, after] = [await serverFor('before'), await serverFor('after')];
    const stored = { credentials: { ...before.credentials, token: 'one' } };
    const { call, clock, reads } = worldWith(stored);
    const first = await call();
    stored.credentials = { ...after.credentials, token: 'two' };
    await clock.advance(5 * MINUTE - 1);
    expect(await call()).toBe(first);
    expect(reads()).toBe(1);
    await clock.advance(1);
    expect(await call()).not.toBe(first);
    expect(authorizations(after)).toEqual(['Bearer two']);
  });

  it('are read again at the next call after a 401, though nobody above has heard of it', async () => {
    const server = await serverFor('one');
    const stored = { credentials: { ...server.credentials, token: 'one' } };
    const { call, reads } = worldWith(stored);
    await call();
    server.accepts = (authorization) => authorization === 'Bearer two';
    await call();
    expect(reads()).toBe(1);
    stored.credentials = { ...server.credentials, token: 'two' };
    await call();
    expect(reads()).toBe(2);
    expect(authorizations(server)).toEqual(['Bearer one', 'Bearer two']);
    await call();
    expect(reads()).toBe(2);
  });

  it('are not read again where the API server refuses nothing', async () => {
    const server = await serverFor('one');
    const { call, reads } = worldWith({ credentials: { ...server.credentials, token: 'one' } });
    for (let times = 0; times < 5; times += 1) await call();
    expect(reads()).toBe(1);
  });

  it('that make no sense are refused by name, and read again', async () => {
    const server = await serverFor('one');
    const stored: { credentials: object } = { credentials: { server: server.credentials.server, tokn: 'one' } };
    const { call } = worldWith(stored);
    await expect(call()).rejects.toThrow(new PermanentError('SSM parameter /svk-system/dev/kubernetes: unknown: tokn'));
    stored.credentials = { ...server.credentials, token: 'one' };
    expect(await call()).toMatch(/^[0-9a-f]{12}$/);
  });
});

describe('credentials of an EKS cluster', () => {
  const eks = { cluster: 'prod', region: 'eu-west-1' };

  it('become tokens the function signs itself, a new one after a 401', async () => {
    const server = await serverFor('one');
    const { call, clock } = worldWith({ credentials: { ...server.credentials, eks } });
    await call();
    const [first] = authorizations(server);
    expect(first).toMatch(/^Bearer k8s-aws-v1\.[\w-]{400,}$/);
    server.accepts = (authorization) => authorization !== first;
    await clock.advance(1_000);
    await call();
    await call();
    expect(authorizations(server)).toEqual([first, expect.stringMatching(/^Bearer k8s-aws-v1\.[\w-]{400,}$/)]);
  });

  it('stand alone', async () => {
    const server = await serverFor('one');
    const { call } = worldWith({ credentials: { ...server.credentials, eks, token: 'one' } });
    await expect(call()).rejects.toThrow('eks stands alone: leave out token, clientCertificate and clientKey');
  });
});
