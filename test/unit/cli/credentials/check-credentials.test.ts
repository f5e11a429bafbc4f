import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SystemClock } from '../../../../src/adapters/system/system-clock.ts';
import { refuseUnusable, tryCredentials } from '../../../../src/cli/credentials/check-credentials.ts';
import { endOfCredentials } from '../../../../src/cli/credentials/lifetime.ts';
import { ApiServer, json } from '../../adapters/kubernetes/api-server.ts';

const NOW = Date.parse('2030-01-01T00:00:00Z');
const HOUR = 3_600_000;
const server = 'https://203.0.113.7:6443';

const jwt = (claims: object): string =>
  ['{"alg":"RS256"}', JSON.stringify(claims), 'signature']
    .map((part) => Buffer.from(part).toString('base64url'))
    .join('.');

describe('credentials that would not last', () => {
  it('are told by the token, where it is a JWT', () => {
    expect(endOfCredentials({ server, token: jwt({ exp: 1_900_000_000 }) })).toBe(1_900_000_000_000);
    expect(endOfCredentials({ server, token: jwt({ sub: 'svk' }) })).toBeUndefined();
    expect(endOfCredentials({ server, token: 'opaque.token.x' })).toBeUndefined();
  });

  it('are refused', () => {
    const token = jwt({ exp: (NOW + HOUR) / 1_000 });
    expect(() => refuseUnusable({ server, token }, NOW)).toThrow(
      'the credentials end at 2030-01-01T01:00:00.000Z, and the node with them',
    );
    expect(() => refuseUnusable({ server, token }, NOW - 24 * HOUR)).not.toThrow();
  });
});

describe('trying credentials', () => {
  let api: ApiServer;
  beforeAll(async () => {
    api = await ApiServer.secure();
  });
  afterAll(() => api.close());
  const signal = AbortSignal.timeout(10_000);

  it('answers the UID of the cluster', async () => {
    api.answer = (_, response) => json(response, 200, { metadata: { name: 'kube-system', uid: 'a-cluster' } });
    expect(await tryCredentials(api.credentials, new SystemClock(), signal)).toBe('a-cluster');
    expect(api.received.map(({ method, url }) => [method, url])).toEqual([['GET', '/api/v1/namespaces/kube-system']]);
  });

  it('names the remedy where the identity has no rights yet', async () => {
    const message = 'namespaces "kube-system" is forbidden';
    api.answer = (_, response) => json(response, 403, { kind: 'Status', message, code: 403 });
    await expect(tryCredentials(api.credentials, new SystemClock(), signal)).rejects.toThrow(
      'namespaces "kube-system" is forbidden; if that is a 403, apply `svk manifests` first',
    );
  });
});
