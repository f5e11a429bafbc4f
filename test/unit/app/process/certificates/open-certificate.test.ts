import { X509Certificate } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { selfSigned } from '../../../../../src/adapters/tls/self-signed.ts';
import { givenCertificate, servingCertificate } from '../../../../../src/app/process/certificates/open-certificate.ts';
import type { ServingOptions } from '../../../../../src/app/process/run-options.ts';
import { PermanentError } from '../../../../../src/core/errors.ts';
import type { CertificatePair } from '../../../../../src/ports/certificates.ts';
import { FakeClock, SeededRandom } from '../../../../fakes/clock.ts';
import { FakeCertificateRequests } from '../../../../fakes/kubernetes/fake-certificate-requests.ts';
import { FakeKubernetes } from '../../../../fakes/kubernetes/fake-kubernetes.ts';
import { RecordingLogger } from '../../../../support/recording-logger.ts';
import { TestAuthority } from '../../../server/test-certificates.ts';

const NO_FILES = { certificate: undefined, privateKey: undefined, clientAuthority: undefined };
let folder: string;
let logger: RecordingLogger;
let clock: FakeClock;
let ending: AbortController;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'svk-certificates-'));
  logger = new RecordingLogger();
  clock = new FakeClock('2030-06-01T00:00:00Z');
  ending = new AbortController();
});
afterEach(async () => {
  ending.abort();
  await rm(folder, { recursive: true });
});

const file = async (name: string, text: string): Promise<string> => {
  await writeFile(path.join(folder, name), text);
  return path.join(folder, name);
};

const pair = (): CertificatePair => selfSigned({ commonName: 'n1', names: ['n1'], now: clock.now() });

describe('the certificate of files', () => {
  it('is theirs, and taken up anew when they change', async () => {
    const [before, after] = [pair(), pair()];
    const files = {
      ...NO_FILES,
      certificate: await file('c', before.certificate),
      privateKey: await file('k', before.privateKey),
    };
    const source = await givenCertificate(files, { clock, logger });
    expect(source?.first).toEqual(before);
    expect(source?.refusal()).toBeUndefined();
    const renewed: CertificatePair[] = [];
    const running = source?.run((pair) => renewed.push(pair), ending.signal);
    await clock.advance(10_000);
    await file('c', after.certificate);
    while (!logger.lines.some(({ message }) => message.startsWith('periodic work'))) await clock.advance(1_000);
    expect(renewed).toEqual([]);
    await file('k', after.privateKey);
    while (renewed.length === 0) await clock.advance(1_000);
    expect(renewed).toEqual([after]);
    ending.abort();
    await running;
  });

  it('is none where none are named', async () => {
    expect(await givenCertificate(NO_FILES, { clock, logger })).toBeUndefined();
  });

  it.each([
    { what: 'nothing', texts: () => ['', ''], fault: 'it is no certificate with its key' },
    { what: 'another text', texts: () => ['c', 'k'], fault: 'it is no certificate with its key' },
    { what: 'one without a key', texts: () => [pair().certificate, ''], fault: 'it is no certificate with its key' },
    {
      what: 'one with another key',
      texts: () => [pair().certificate, pair().privateKey],
      fault: 'it is for another key',
    },
  ])('must be one of its key: $what is none', async ({ texts, fault }) => {
    const [certificate = '', privateKey = ''] = texts();
    const files = { ...NO_FILES, certificate: await file('c', certificate), privateKey: await file('k', privateKey) };
    const reading = givenCertificate(files, { clock, logger });
    await expect(reading).rejects.toBeInstanceOf(PermanentError);
    await expect(reading).rejects.toThrow(`${files.certificate}: ${fault}`);
  });

  it.each([
    ['certificate', 'APISERVER_CERT_LOCATION'],
    ['privateKey', 'APISERVER_KEY_LOCATION'],
  ])('must be there: %s', async (which, variable) => {
    const there = await file('x', 'X');
    const files = { ...NO_FILES, certificate: there, privateKey: there, [which]: '/nowhere' };
    const reading = givenCertificate(files, { clock, logger });
    await expect(reading).rejects.toBeInstanceOf(PermanentError);
    await expect(reading).rejects.toThrow(`/nowhere (${variable}) cannot be read; check the name and its permissions`);
  });
});

describe('the certificate that no file gives', () => {
  const open = (serving: ServingOptions, requests = new FakeCertificateRequests(), address = '192.0.2.7') => {
    const kubernetes = new FakeKubernetes({ clock });
    const source = servingCertificate(
      serving,
      { node: 'n1', address, deployment: 'dev' },
      { kubernetes, requests, clock, random: new SeededRandom(1), logger },
    );
    return { source, requests, kubernetes };
  };
  const REQUEST = { kind: 'request', signerName: 'kubernetes.io/kubelet-serving' } as const;

  it('is made here only where that was asked for, for the names of the node, with one warning', () => {
    const { source } = open({ kind: 'self-signed' });
    const parsed = new X509Certificate(source.first.certificate);
    expect(parsed.subjectAltName).toBe('IP Address:192.0.2.7, DNS:n1, DNS:localhost, IP Address:127.0.0.1');
    expect(parsed.validFrom).toBe('May 31 23:00:00 2030 GMT');
    expect(source.refusal()).toBeUndefined();
    expect(logger.lines).toHaveLength(1);
    expect(logger.lines[0]?.message).toMatch(/certificate that nobody has signed.*--serving-certificate/);
  });

  it('is asked of the cluster, and until it is there nothing is served but the reason', async () => {
    const { source, requests, kubernetes } = open({ ...REQUEST, folder: undefined });
    kubernetes.addNode({ metadata: { name: 'n1' } });
    const authority = await TestAuthority.create();
    expect(source.refusal()).toBeDefined();
    const renewed: CertificatePair[] = [];
    const running = source.run((pair) => renewed.push(pair), ending.signal);
    await clock.advance(1_000);
    expect(source.refusal()).toBe(
      'serving certificate waiting for approval of svk-n1-serving: kubectl certificate approve svk-n1-serving',
    );
    expect(kubernetes.findNode('n1')?.status?.conditions?.[0]).toMatchObject({
      type: 'ServingCertificate',
      status: 'False',
    });
    expect(requests.history[0]?.labels).toEqual({
      'app.kubernetes.io/name': 'serverless-virtual-kubelet',
      'app.kubernetes.io/instance': 'dev',
    });

    const { request = '' } = requests.get('svk-n1-serving') ?? {};
    const life = { notBefore: clock.now(), notAfter: clock.now() + 86_400_000 };
    requests.say('svk-n1-serving', { kind: 'issued', certificate: await authority.sign(request, life) });
    await clock.advance(10_000);
    expect(source.refusal()).toBeUndefined();
    expect(new X509Certificate(renewed[0]?.certificate ?? '').subjectAltName).toBe('IP Address:192.0.2.7, DNS:n1');
    expect(logger.lines.filter(({ level }) => level === 'warn')).toEqual([]);
    ending.abort();
    await running;
  });

  it('outlives the process in a folder', async () => {
    const serving = { ...REQUEST, folder: path.join(folder, 'certs') };
    const first = open(serving);
    const running = first.source.run(() => undefined, ending.signal);
    while (first.requests.history.length === 0) await clock.advance(1_000);
    ending.abort();
    await running;
    ending = new AbortController();
    const second = open(serving, first.requests);
    const next = second.source.run(() => undefined, ending.signal);
    while (second.source.refusal()?.includes('not asked')) await clock.advance(1_000);
    expect(first.requests.history).toHaveLength(1);
    ending.abort();
    await next;
  });
});
