import { X509Certificate } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { publishedClientAuthority, readCertificates } from '../../../../src/app/process/certificates.ts';
import { PermanentError } from '../../../../src/core/errors.ts';
import { FakeClock } from '../../../fakes/clock.ts';
import { FakeKubernetes } from '../../../fakes/kubernetes/fake-kubernetes.ts';
import { RecordingLogger } from '../../../support/recording-logger.ts';

const { signal } = new AbortController();
const clock = new FakeClock('2030-06-01T00:00:00Z');
let folder: string;
let logger: RecordingLogger;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'svk-certificates-'));
  logger = new RecordingLogger();
});
afterEach(() => rm(folder, { recursive: true }));

const file = async (name: string, text: string): Promise<string> => {
  await writeFile(path.join(folder, name), text);
  return path.join(folder, name);
};
const read = (files: { certificate?: string; privateKey?: string; clientAuthority?: string }) =>
  readCertificates(
    {
      files: { certificate: undefined, privateKey: undefined, clientAuthority: undefined, ...files },
      nodeName: 'n1',
      nodeIp: '192.0.2.7',
    },
    { clock, logger },
  );

describe('the certificates of the kubelet API', () => {
  it('are those of the files', async () => {
    const files = {
      certificate: await file('c', 'CERT'),
      privateKey: await file('k', 'KEY'),
      clientAuthority: await file('ca', 'CA'),
    };
    expect(await read(files)).toEqual({ certificate: 'CERT', privateKey: 'KEY', clientCertificateAuthority: 'CA' });
    expect(logger.lines).toEqual([]);
  });

  it('are made where none is given, for the names of the node, with one warning', async () => {
    const { certificate } = await read({});
    const parsed = new X509Certificate(certificate);
    expect(parsed.subjectAltName).toBe('DNS:n1, DNS:localhost, IP Address:127.0.0.1, IP Address:192.0.2.7');
    expect(parsed.validFrom).toBe('May 31 23:00:00 2030 GMT');
    expect(logger.lines).toHaveLength(1);
    expect(logger.lines[0]?.message).toMatch(/certificate that nobody has signed.*--tls-cert-file/);
  });

  it.each([
    ['certificate', 'APISERVER_CERT_LOCATION'],
    ['privateKey', 'APISERVER_KEY_LOCATION'],
    ['clientAuthority', 'APISERVER_CA_CERT_LOCATION'],
  ])('must be there: %s', async (which, variable) => {
    const reading = read({ [which]: '/nowhere' });
    await expect(reading).rejects.toBeInstanceOf(PermanentError);
    await expect(reading).rejects.toThrow(`/nowhere (${variable}) cannot be read; check the name and its permissions`);
  });
});

describe('the CA of those who call kubelets', () => {
  it('is read where the cluster publishes it', async () => {
    const kubernetes = new FakeKubernetes();
    kubernetes.putConfigMap('kube-system', 'extension-apiserver-authentication', { 'client-ca-file': 'CA' });
    expect(await publishedClientAuthority(kubernetes, { logger, signal })).toBe('CA');
  });

  it.each([
    ['is not published', () => undefined],
    [
      'is left out',
      (kubernetes: FakeKubernetes) =>
        kubernetes.putConfigMap('kube-system', 'extension-apiserver-authentication', { other: 'x' }),
    ],
    [
      'may not be read',
      (kubernetes: FakeKubernetes) => kubernetes.failNext('sources.configMap', new PermanentError('forbidden')),
    ],
  ])('is unknown where it %s, and the operator is told what that means', async (_, happens) => {
    const kubernetes = new FakeKubernetes();
    happens(kubernetes);
    expect(await publishedClientAuthority(kubernetes, { logger, signal })).toBeUndefined();
    expect(logger.lines[0]?.message).toMatch(/kubectl logs will be refused; name the CA by --client-ca-file/);
  });
});
