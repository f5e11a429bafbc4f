import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { credentialsFromKubeconfig } from '../../../../src/adapters/kubernetes/credentials-from-kubeconfig.ts';
import { createKubernetes } from '../../../../src/adapters/kubernetes/kubernetes-api.ts';
import { KubernetesClient } from '../../../../src/adapters/kubernetes/kubernetes-client.ts';
import { checkReachable } from '../../../../src/adapters/kubernetes/reachable.ts';
import { FakeClock } from '../../../fakes/clock.ts';

const CA = '-----BEGIN CERTIFICATE-----\nY2E=\n-----END CERTIFICATE-----\n';
const CERT = '-----BEGIN CERTIFICATE-----\nY2VydA==\n-----END CERTIFICATE-----\n';
const KEY = '-----BEGIN PRIVATE KEY-----\na2V5\n-----END PRIVATE KEY-----\n';
const base64 = (text: string): string => Buffer.from(text).toString('base64');
let folder: string;
let file: string;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'svk-kubeconfig-'));
  file = path.join(folder, 'kubeconfig');
});
afterEach(() => rm(folder, { recursive: true }));

const write = (user: object, cluster: object = {}, more: object = {}): Promise<void> =>
  writeFile(
    file,
    stringify({
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'dev',
      contexts: [{ name: 'dev', context: { cluster: 'c', user: 'u' } }],
      clusters: [{ name: 'c', cluster: { server: 'https://203.0.113.7:6443', ...cluster } }],
      users: [{ name: 'u', user }],
      ...more,
    }),
  );

describe('reads', () => {
  it('embedded certificates', async () => {
    await write(
      { 'client-certificate-data': base64(CERT), 'client-key-data': base64(KEY) },
      { 'certificate-authority-data': base64(CA) },
    );
    expect(await credentialsFromKubeconfig(file)).toEqual({
      server: 'https://203.0.113.7:6443',
      certificateAuthority: CA,
      clientCertificate: CERT,
      clientKey: KEY,
    });
  });

  it('certificates in files beside it', async () => {
    await writeFile(path.join(folder, 'ca.crt'), CA);
    await writeFile(path.join(folder, 'u.crt'), CERT);
    await writeFile(path.join(folder, 'u.key'), KEY);
    await write(
      { 'client-certificate': 'u.crt', 'client-key': path.join(folder, 'u.key') },
      { 'certificate-authority': 'ca.crt', 'tls-server-name': 'kubernetes' },
    );
    expect(await credentialsFromKubeconfig(file)).toEqual({
      server: 'https://203.0.113.7:6443',
      certificateAuthority: CA,
      clientCertificate: CERT,
      clientKey: KEY,
      tlsServerName: 'kubernetes',
    });
  });

  it('a token, and rather the one in a file', async () => {
    await write({ token: 'first' });
    expect((await credentialsFromKubeconfig(file)).token).toBe('first');
    await writeFile(path.join(folder, 'token'), 'second\n');
    await write({ token: 'first', tokenFile: 'token' });
    expect((await credentialsFromKubeconfig(file)).token).toBe('second');
  });

  it('another context where one is asked for', async () => {
    const contexts = [
      { name: 'dev', context: { cluster: 'c', user: 'u' } },
      { name: 'prod', context: { cluster: 'p', user: 'u' } },
    ];
    const clusters = [
      { name: 'c', cluster: { server: 'https://a' } },
      { name: 'p', cluster: { server: 'https://b' } },
    ];
    await write({ token: 't' }, {}, { contexts, clusters });
    expect((await credentialsFromKubeconfig(file, { context: 'prod' })).server).toBe('https://b');
  });
});

describe('refuses in one sentence', () => {
  it('a file that is not there', async () => {
    await expect(credentialsFromKubeconfig('/nowhere/kubeconfig')).rejects.toThrow(
      'kubeconfig /nowhere/kubeconfig cannot be read; check the name and its permissions',
    );
  });

  it('a file that is something else', async () => {
    await writeFile(file, 'a: b: c: "hunter2');
    await expect(credentialsFromKubeconfig(file)).rejects.toThrow(/is not a kubeconfig: it must be YAML/);
    await expect(credentialsFromKubeconfig(file)).rejects.not.toThrow(/hunter2/);
  });

  it('a context that is not there', async () => {
    await write({ token: 't' });
    await expect(credentialsFromKubeconfig(file, { context: 'prod' })).rejects.toThrow(
      `kubeconfig ${file} has no context "prod"; it has: dev`,
    );
  });

  it('no current context', async () => {
    await write({ token: 't' }, {}, { 'current-context': '' });
    await expect(credentialsFromKubeconfig(file)).rejects.toThrow(
      `kubeconfig ${file} has no current-context; choose one of: dev`,
    );
  });

  it('a certificate file that is not there', async () => {
    await write({ 'client-certificate': 'none.crt', 'client-key': 'none.key' });
    await expect(credentialsFromKubeconfig(file)).rejects.toThrow(
      `kubeconfig ${file}: client-certificate none.crt cannot be read`,
    );
  });

  it.each<[string, object, object, RegExp]>([
    ['exec plugins', { exec: { command: 'aws' } }, {}, /uses an exec plugin.*give a context with a client certificate/],
    ['auth providers', { 'auth-provider': { name: 'oidc' } }, {}, /uses an auth-provider/],
    ['passwords', { username: 'a', password: 'hunter2' }, {}, /uses a password/],
    ['impersonation', { token: 't', as: 'bob' }, {}, /uses impersonation/],
    ['unchecked certificates', { token: 't' }, { 'insecure-skip-tls-verify': true }, /insecure-skip-tls-verify/],
    ['proxies', { token: 't' }, { 'proxy-url': 'http://p' }, /uses a proxy-url/],
    ['a server in the clear', { token: 't' }, { server: 'http://203.0.113.7' }, /must use https/],
  ])('%s', async (_, user, cluster, message) => {
    await write(user, cluster);
    await expect(credentialsFromKubeconfig(file)).rejects.toThrow(message);
  });

  it('a server that does not answer', async () => {
    const client = new KubernetesClient({ server: 'http://127.0.0.1:1' }, { clock: new FakeClock() });
    const { signal } = new AbortController();
    await expect(checkReachable(createKubernetes(client), 'kubeconfig ./k', signal)).rejects.toThrow(
      'kubeconfig ./k leads to no API server (GET /version: http://127.0.0.1:1 does not answer (ECONNREFUSED)); ' +
        'start it, or name another kubeconfig',
    );
  });
});
