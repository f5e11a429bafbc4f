import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { Agent, request } from 'node:https';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TLSSocket } from 'node:tls';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { selfSigned } from '../../../../src/adapters/tls/self-signed.ts';
import { certificateFiles } from '../../../../src/app/process/certificates/certificate-files.ts';
import { type KubeletEndpoint, openKubeletEndpoint } from '../../../../src/app/process/kubelet-endpoint.ts';
import { FakeClock } from '../../../fakes/clock.ts';
import { RecordingLogger } from '../../../support/recording-logger.ts';

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
