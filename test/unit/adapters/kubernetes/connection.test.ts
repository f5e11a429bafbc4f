import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { openConnection } from '../../../../src/adapters/kubernetes/connection.ts';
import { FakeClock } from '../../../fakes/clock.ts';

const CA = '-----BEGIN CERTIFICATE-----\nY2E=\n-----END CERTIFICATE-----\n';
const clock = new FakeClock();
let folder: string;
const at = (name: string): string => path.join(folder, name);

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'svk-connection-'));
});
afterEach(() => rm(folder, { recursive: true }));

const kubeconfig = async (user: object, cluster: object = {}): Promise<string> => {
  await writeFile(
    at('kubeconfig'),
    stringify({
      'current-context': 'dev',
      contexts: [{ name: 'dev', context: { cluster: 'c', user: 'u' } }],
      clusters: [{ name: 'c', cluster: { server: 'https://203.0.113.7:6443', ...cluster } }],
      users: [{ name: 'u', user }],
    }),
  );
  return at('kubeconfig');
};

const open = (file: string, environment: Record<string, string> = {}) =>
  openConnection(file, { clock, environment, serviceAccount: folder });

describe('by a kubeconfig', () => {
  it('takes what it says', async () => {
    const file = await kubeconfig({ token: 't' });
    expect(await open(file)).toEqual({
      credentials: { server: 'https://203.0.113.7:6443', token: 't' },
      source: `kubeconfig ${file}`,
    });
  });

  it('tells the namespace of its context', async () => {
    const file = await kubeconfig({ token: 't' });
    await writeFile(file, (await readFile(file, 'utf8')).replace('user: u', 'user: u\n      namespace: shop'));
    expect(await open(file)).toMatchObject({ namespace: 'shop' });
  });

  it('reads a token file again after a minute, and lives with one that is gone', async () => {
    await writeFile(at('token'), 'first\n');
    const { tokens, credentials } = await open(await kubeconfig({ tokenFile: 'token' }));
    expect(credentials.token).toBeUndefined();
    expect(await tokens?.()).toBe('first');
    await writeFile(at('token'), 'second\n');
    expect(await tokens?.()).toBe('first');
    await clock.advance(60_000);
    expect(await tokens?.()).toBe('second');
    await rm(at('token'));
    await clock.advance(60_000);
    expect(await tokens?.()).toBe('second');
  });

  it('asks an exec plugin', async () => {
    const credential = {
      apiVersion: 'client.authentication.k8s.io/v1',
      kind: 'ExecCredential',
      status: { token: 'from-plugin' },
    };
    await writeFile(at('plugin'), `#!/bin/sh\necho '${JSON.stringify(credential)}'\n`);
    await chmod(at('plugin'), 0o700);
    const exec = { apiVersion: 'client.authentication.k8s.io/v1', command: at('plugin'), interactiveMode: 'Never' };
    const { tokens } = await open(await kubeconfig({ exec }));
    expect(await tokens?.()).toBe('from-plugin');
  });

  it('says so where the plugin fails', async () => {
    const file = await kubeconfig({ exec: { command: at('nothing-here') } });
    await expect(open(file)).rejects.toThrow(
      `kubeconfig ${file}: its exec plugin or auth-provider failed; run kubectl with it to see`,
    );
  });

  it('refuses what it cannot use', async () => {
    await expect(open(await kubeconfig({ token: 't' }, { 'proxy-url': 'http://p' }))).rejects.toThrow(
      /uses a proxy-url, which svk cannot/,
    );
  });
});

describe('where there is no kubeconfig of that name', () => {
  it('uses the service account of the pod', async () => {
    await writeFile(at('token'), 'pod-token');
    await writeFile(at('ca.crt'), CA);
    const connection = await open(at('none'), {
      KUBERNETES_SERVICE_HOST: '10.96.0.1',
      KUBERNETES_SERVICE_PORT: '6443',
    });
    expect(connection.credentials).toEqual({ server: 'https://10.96.0.1:6443', certificateAuthority: CA });
    expect(await connection.tokens?.()).toBe('pod-token');
    expect(connection.source).toBe('the service account of this pod');
  });

  it('brackets an IPv6 address', async () => {
    await writeFile(at('token'), 'pod-token');
    await writeFile(at('ca.crt'), CA);
    const { credentials } = await open('', { KUBERNETES_SERVICE_HOST: 'fd00::1' });
    expect(credentials.server).toBe('https://[fd00::1]:443');
  });

  it('says what to do outside of a cluster', async () => {
    await expect(open(at('none'))).rejects.toThrow(
      `kubeconfig ${at('none')} is not there, and this is no pod of a cluster: name a kubeconfig by --kubeconfig or KUBECONFIG`,
    );
  });

  it('says what is missing in the pod', async () => {
    await expect(open('', { KUBERNETES_SERVICE_HOST: '10.96.0.1' })).rejects.toThrow(
      `the service account of this pod: ${at('token')} cannot be read`,
    );
  });
});

it('does not take a file it may not look at for one that is not there', async () => {
  await writeFile(at('plain'), '');
  await expect(open(at('plain/kubeconfig'))).rejects.toThrow('cannot be read; check the name and its permissions');
});
