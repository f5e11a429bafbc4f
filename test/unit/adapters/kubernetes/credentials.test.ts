import { describe, expect, it } from 'vitest';
import { parseCredentials } from '../../../../src/adapters/kubernetes/credentials.ts';
import { PermanentError } from '../../../../src/core/errors.ts';

const PEM = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n';
const KEY = '-----BEGIN PRIVATE KEY-----\nc2VjcmV0\n-----END PRIVATE KEY-----\n';
const parse = (value: unknown): unknown => parseCredentials(JSON.stringify(value), 'parameter /svk/dev');

it('reads what was stored', () => {
  const stored = {
    server: 'https://203.0.113.7:6443',
    certificateAuthority: PEM,
    clientCertificate: PEM,
    clientKey: KEY,
  };
  expect(parse(stored)).toEqual(stored);
  expect(parse({ server: 'https://k.example.com/k8s/clusters/c-1', token: 't' })).toEqual({
    server: 'https://k.example.com/k8s/clusters/c-1',
    token: 't',
  });
});

it.each(['http://127.0.0.1:8001', 'http://localhost:8001', 'http://[::1]:8001'])('takes %s in the clear', (server) => {
  expect(parse({ server })).toEqual({ server });
});

describe('refuses', () => {
  it.each([
    ['http across a network', { server: 'http://203.0.113.7' }, 'server http://203.0.113.7 must use https'],
    ['a server that only looks local', { server: 'http://127.0.0.1.example.com' }, 'must use https'],
    ['a server without scheme', { server: '203.0.113.7:6443' }, 'server must be a URL such as'],
    ['a certificate without key', { server: 'https://a', clientCertificate: PEM }, 'clientCertificate and clientKey'],
    [
      'what is no PEM',
      { server: 'https://a', certificateAuthority: 'LS0t' },
      'certificateAuthority: must be a PEM text',
    ],
    ['unknown fields', { server: 'https://a', tokn: 't' }, 'unknown: tokn'],
    ['nothing', {}, 'parameter /svk/dev: server: must be a text'],
  ])('%s', (_, value, message) => {
    expect(() => parse(value)).toThrow(PermanentError);
    expect(() => parse(value)).toThrow(message);
  });

  it('broken JSON, without quoting it', () => {
    const broken = `{"server":"https://a","clientKey":"${KEY}`;
    expect(() => parseCredentials(broken, 'parameter /svk/dev')).toThrow(
      'parameter /svk/dev is not JSON: store the credentials again',
    );
  });

  it('a key in the wrong place, without quoting it', () => {
    const refused = (): unknown => parse({ server: 'https://a', clientKey: 'hunter2' });
    expect(refused).toThrow('clientKey: must be a PEM text');
    expect(refused).not.toThrow('hunter2');
  });
});
