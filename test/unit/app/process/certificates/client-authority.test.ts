import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { selfSigned } from '../../../../../src/adapters/tls/self-signed.ts';
import { clientAuthority } from '../../../../../src/app/process/certificates/client-authority.ts';
import { PermanentError } from '../../../../../src/core/errors.ts';
import { FakeClock } from '../../../../fakes/clock.ts';
import { FakeKubernetes } from '../../../../fakes/kubernetes/fake-kubernetes.ts';
import { RecordingLogger } from '../../../../support/recording-logger.ts';

const certificateOf = (commonName: string): string =>
  selfSigned({ commonName, names: ['127.0.0.1'], now: Date.now() }).certificate;
const CA = certificateOf('one');
const CA_2 = `# with the one before\n${certificateOf('two')}\n${CA}`;
const BROKEN = '-----BEGIN CERTIFICATE-----\none\n-----END CERTIFICATE-----\n';
const { signal } = new AbortController();
let folder: string;
let clock: FakeClock;
let kubernetes: FakeKubernetes;
let logger: RecordingLogger;
let ending: AbortController;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'svk-ca-'));
  clock = new FakeClock();
  kubernetes = new FakeKubernetes({ clock });
  logger = new RecordingLogger();
  ending = new AbortController();
});
afterEach(async () => {
  ending.abort();
  await rm(folder, { recursive: true });
});

const publish = (authority: string): void =>
  kubernetes.putConfigMap('kube-system', 'extension-apiserver-authentication', { 'client-ca-file': authority });
const open = (file?: string) => clientAuthority(file, { kubernetes, clock, logger, signal });

it('is read where the cluster publishes it, and again every ten minutes', async () => {
  publish(CA);
  const authority = await open();
  expect(authority.first).toBe(CA);
  const renewed: string[] = [];
  const running = authority.run((next) => renewed.push(next), ending.signal);
  publish(CA_2);
  await clock.advance(1_200_000);
  expect(renewed).toEqual([CA_2]);
  ending.abort();
  await running;
});

it('is that of a file, and taken up anew when the file changes', async () => {
  const file = path.join(folder, 'ca');
  await writeFile(file, CA);
  const authority = await open(file);
  expect(authority.first).toBe(CA);
  const renewed: string[] = [];
  const running = authority.run((next) => renewed.push(next), ending.signal);
  await writeFile(file, '');
  while (!logger.lines.some(({ message }) => message.startsWith('periodic work'))) await clock.advance(1_000);
  await writeFile(file, CA_2);
  while (renewed.length === 0) await clock.advance(1_000);
  expect(renewed).toEqual([CA_2]);
  expect(kubernetes.count('sources.configMap')).toBe(0);
  ending.abort();
  await running;
});

it('must be readable where it is named', async () => {
  await expect(open('/nowhere')).rejects.toBeInstanceOf(PermanentError);
  await expect(open('/nowhere')).rejects.toThrow('/nowhere (APISERVER_CA_CERT_LOCATION) cannot be read');
});

it.each([
  { what: 'nothing', text: '' },
  { what: 'another text', text: 'localhost\n' },
  { what: 'something broken', text: BROKEN },
  { what: 'something broken among others', text: `${CA}${BROKEN}` },
  { what: 'half a certificate', text: CA.slice(0, 200) },
  { what: 'one that is not written to its end', text: `${CA}${CA.slice(0, 200)}` },
])('must be certificates: a file with $what is none', async ({ text }) => {
  const file = path.join(folder, 'ca');
  await writeFile(file, text);
  await expect(open(file)).rejects.toBeInstanceOf(PermanentError);
  await expect(open(file)).rejects.toThrow(`${file} (APISERVER_CA_CERT_LOCATION) holds no certificates`);
});

it('becomes known once the cluster tells it, and is asked for quietly until then', async () => {
  const authority = await open();
  expect(authority.first).toBeUndefined();
  const renewed: string[] = [];
  const running = authority.run((next) => renewed.push(next), ending.signal);
  await clock.advance(180_000);
  publish(CA);
  await clock.advance(60_000);
  expect(renewed).toEqual([CA]);
  expect(logger.lines.filter(({ level }) => level === 'warn')).toHaveLength(1);
  ending.abort();
  await running;
});

it.each([
  ['is broken', () => publish(BROKEN)],
  ['is not published', () => undefined],
  ['is left out', () => kubernetes.putConfigMap('kube-system', 'extension-apiserver-authentication', { other: 'x' })],
  ['may not be read', () => kubernetes.failNext('sources.configMap', new PermanentError('forbidden'))],
])('is unknown where it %s, and the operator is told what that means', async (_, happens) => {
  happens();
  expect((await open()).first).toBeUndefined();
  expect(logger.lines[0]?.message).toMatch(/kubectl logs will be refused; name the CA by --client-ca-file/);
});
