import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { selfSigned } from '../../../../src/adapters/tls/self-signed.ts';
import { certificateFiles } from '../../../../src/app/process/certificates/certificate-files.ts';
import { servingCertificate } from '../../../../src/app/process/certificates/open-certificate.ts';
import { type KubeletEndpoint, openKubeletEndpoint } from '../../../../src/app/process/kubelet-endpoint.ts';
import { FakeClock, SeededRandom } from '../../../fakes/clock.ts';
import { FakeCertificateRequests } from '../../../fakes/kubernetes/fake-certificate-requests.ts';
import { FakeKubernetes } from '../../../fakes/kubernetes/fake-kubernetes.ts';
import { RecordingLogger } from '../../../support/recording-logger.ts';
import { TestAuthority } from '../../server/test-certificates.ts';

let folder: string;
let endpoint: KubeletEndpoint | undefined;
const ended = new AbortController();
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'svk-endpoint-'));
});
afterEach(async () => {
  ended.abort();
  await endpoint?.close();
  await rm(folder, { recursive: true });
});

const write = async (commonName: string): Promise<void> => {
  const { certificate, privateKey } = selfSigned({ commonName, names: ['127.0.0.1'], now: Date.now() });
  await writeFile(path.join(folder, 'crt'), certificate);
  await writeFile(path.join(folder, 'key'), privateKey);
};

/** Over a new connection. */
const ask = (port: number): Promise<string> =>
  new Promise((resolve, reject) => {
    const agent = new Agent({ rejectUnauthorized: false, keepAlive: false });
    const outgoing = request({ host: '127.0.0.1', port, path: '/', agent }, (response) => {
      const subject = (response.socket as TLSSocket).getPeerX509Certificate()?.subject ?? '';
      response.resume();
      response.on('end', () => resolve(`${response.statusCode} ${subject}`));
    });
    outgoing.on('error', reject);
    outgoing.end();
  });

/** As an API server that checks its kubelets: the head of an answer that goes on. */
const open = async (port: number, ca: string): Promise<IncomingMessage> => {
  const outgoing = request({ host: '127.0.0.1', port, path: '/', ca, agent: false });
  outgoing.end();
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  return response;
};

const listen = { host: '127.0.0.1', port: 0 };
const NOBODY = { first: undefined, run: () => Promise.resolve() };

it('waits for those who answer, and takes up certificates that are replaced', async () => {
  const clock = new FakeClock(Date.now());
  const logger = new RecordingLogger();
  await write('first');
  const [file, key] = [path.join(folder, 'crt'), path.join(folder, 'key')];
  const certificate = await certificateFiles({ certificate: file, privateKey: key }, { clock, logger });
  const means = { clock, logger, signal: ended.signal };
  endpoint = await openKubeletEndpoint({ listen, certificate, authority: NOBODY }, means);
  expect(await ask(endpoint.port)).toBe('503 CN=first');
  endpoint.answerBy(() => Promise.resolve({ status: 200, headers: {}, body: 'ok' }));
  expect(await ask(endpoint.port)).toBe('200 CN=first');

  await write('second');
  expect(await ask(endpoint.port)).toBe('200 CN=first');
  await clock.advance(10_000);
  while (!logger.lines.some(({ message }) => message === 'certificates renewed')) await clock.advance(0);
  expect(await ask(endpoint.port)).toBe('200 CN=second');
});

it('A-02 says at once what it waits for, serves once its certificate is signed, and renews it under sessions that go on', async () => {
  const clock = new FakeClock(Date.now());
  const logger = new RecordingLogger();
  const kubernetes = new FakeKubernetes({ clock });
  const requests = new FakeCertificateRequests();
  const authority = await TestAuthority.create('CN=kubelet-serving');
  const sign = async (): Promise<void> => {
    const { request = '' } = requests.get('svk-n1-serving') ?? {};
    // Valid by the real time, which TLS goes by, and short, so that the time told here stays near it.
    const life = { notBefore: clock.now() - 300_000, notAfter: clock.now() + 200_000 };
    requests.say('svk-n1-serving', { kind: 'issued', certificate: await authority.sign(request, life) });
  };
  const certificate = servingCertificate(
    { kind: 'request', signerName: 'kubernetes.io/kubelet-serving', folder: undefined },
    { node: 'n1', address: '127.0.0.1', deployment: 'dev' },
    { kubernetes, requests, clock, random: new SeededRandom(1), logger },
  );
  const ending = new AbortController();
  const means = { clock, logger, signal: ending.signal };
  endpoint = await openKubeletEndpoint({ listen, certificate, authority: NOBODY }, means);
  const { port } = endpoint;
  let send: (text: string) => void = () => undefined;
  endpoint.answerBy(() => {
    const body = new PassThrough();
    send = (text) => body.write(text);
    return Promise.resolve({ status: 200, headers: {}, body });
  });
  await clock.advance(1_000);
  expect(endpoint.isServing()).toBe(false);
  expect(await ask(port)).toBe('500 CN=n1');

  await sign();
  await clock.advance(10_000);
  expect(endpoint.isServing()).toBe(true);
  const session = await open(port, authority.certificate);
  const first = (session.socket as TLSSocket).getPeerX509Certificate()?.serialNumber;
  send('before ');
  expect(String((await once(session, 'data'))[0])).toBe('before ');

  requests.expire('svk-n1-serving');
  // 90 % of 500 s at most.
  await clock.advance(150_000);
  await sign();
  await clock.advance(10_000);
  send('and after');
  expect(String((await once(session, 'data'))[0])).toBe('and after');
  const another = await open(port, authority.certificate);
  expect((another.socket as TLSSocket).getPeerX509Certificate()?.serialNumber).not.toBe(first);
  session.destroy();
  another.destroy();
  ending.abort();
});
