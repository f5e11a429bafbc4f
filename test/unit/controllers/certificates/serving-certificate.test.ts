import { X509Certificate } from 'node:crypto';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { MemoryCertificateKeeper } from '../../../../src/adapters/memory/certificate-keeper.ts';
import { makeCertificateRequest } from '../../../../src/adapters/tls/certificate-request.ts';
import { ServingCertificate } from '../../../../src/controllers/certificates/serving-certificate.ts';
import type { ServingState } from '../../../../src/controllers/certificates/serving-state.ts';
import { PermanentError } from '../../../../src/core/errors.ts';
import type { CertificateKeeper, CertificatePair } from '../../../../src/ports/certificates.ts';
import { FakeClock } from '../../../fakes/clock.ts';
import { FakeCertificateRequests } from '../../../fakes/kubernetes/fake-certificate-requests.ts';
import { RecordingLogger } from '../../../support/recording-logger.ts';
import { TestAuthority } from '../../server/test-certificates.ts';

const NAME = 'svk-fargate-serving';
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const START = Date.parse('2030-01-01T00:00:00Z');

let authority: TestAuthority;
beforeAll(async () => {
  authority = await TestAuthority.create('CN=kubelet-serving');
});

let clock: FakeClock;
let requests: FakeCertificateRequests;
let issued: CertificatePair[];
let states: ServingState[];
let ending: AbortController;
let running: Promise<void>[];
beforeEach(() => {
  clock = new FakeClock(START);
  requests = new FakeCertificateRequests();
  issued = [];
  states = [];
  running = [];
  ending = new AbortController();
});
afterEach(async () => {
  ending.abort();
  await Promise.all(running);
});

/** A process that keeps a certificate, until the test ends. */
const start = (keeper: CertificateKeeper = new MemoryCertificateKeeper(), names = ['192.0.2.7', 'fargate']): void => {
  const certificate = new ServingCertificate({
    node: 'fargate',
    names,
    signerName: 'kubernetes.io/kubelet-serving',
    labels: { 'app.kubernetes.io/instance': 'dev' },
    requests,
    makeRequest: makeCertificateRequest,
    keeper,
    onIssued: (pair) => issued.push(pair),
    report: async (state) => void states.push(state),
    clock,
    random: { next: () => 0.5, uuid: () => '' },
    logger: new RecordingLogger(),
  });
  running.push(certificate.run(ending.signal));
};

/** The process dies without a word. */
const die = async (): Promise<void> => {
  ending.abort();
  await Promise.all(running.splice(0));
  ending = new AbortController();
};

const sign = async (hours = 10): Promise<void> => {
  const { request = '' } = requests.get(NAME) ?? {};
  const certificate = await authority.sign(request, {
    notBefore: clock.now(),
    notAfter: clock.now() + hours * HOUR_MS,
  });
  requests.say(NAME, { kind: 'issued', certificate });
};

/** Long enough for the next look. */
const look = (): Promise<void> => clock.advance(10_000);
const reasons = (): readonly string[] => [...new Set(states.map(({ reason }) => reason))];

describe('a serving certificate', () => {
  it('is asked for with the node’s own name, its addresses and no more rights than serving', async () => {
    start();
    await look();
    expect(requests.history).toHaveLength(1);
    expect(requests.history[0]).toMatchObject({
      name: NAME,
      signerName: 'kubernetes.io/kubelet-serving',
      usages: ['digital signature', 'server auth'],
      labels: { 'app.kubernetes.io/instance': 'dev' },
    });
    await sign();
    const { certificate = '' } = (requests.get(NAME)?.state as { certificate?: string }) ?? {};
    const parsed = new X509Certificate(certificate);
    expect(parsed.subject).toBe('O=system:nodes\nCN=system:node:fargate');
    expect(parsed.subjectAltName).toBe('IP Address:192.0.2.7, DNS:fargate');
  });

  it('A-02 says what it waits for, and serves within ten seconds of being signed', async () => {
    start();
    await look();
    expect(states.at(-1)).toEqual({
      isServing: false,
      reason: 'WaitingForApproval',
      message: `serving certificate waiting for approval of ${NAME}: kubectl certificate approve ${NAME}`,
    });
    requests.say(NAME, { kind: 'approved' });
    await look();
    expect(states.at(-1)?.message).toBe(
      `serving certificate waiting for signer kubernetes.io/kubelet-serving to sign ${NAME}`,
    );
    expect(issued).toEqual([]);
    await sign();
    await look();
    expect(issued).toHaveLength(1);
    expect(states.at(-1)).toEqual({
      isServing: true,
      reason: 'Issued',
      message: 'serving certificate valid until 2030-01-01T10:00:20Z',
    });
    expect(requests.history).toHaveLength(1);
  });

  it('is asked for again at 80 % of its life, with a new key, the old one serving on', async () => {
    start();
    await look();
    await sign();
    await look();
    const [first] = issued;
    await clock.advance(7.9 * HOUR_MS);
    requests.expire(NAME);
    expect(requests.history).toHaveLength(1);
    await clock.advance(0.11 * HOUR_MS);
    expect(requests.history).toHaveLength(2);
    expect(states.at(-1)).toMatchObject({ isServing: true, reason: 'WaitingForApproval' });
    expect(states.at(-1)?.message).toContain('; the one before serves until 2030-01-01T10:00:10Z');
    await sign();
    await look();
    expect(issued).toHaveLength(2);
    expect(issued[1]?.privateKey).not.toBe(first?.privateKey);
    expect(states.at(-1)?.reason).toBe('Issued');
  });

  it('denied stays denied until somebody removes the request', async () => {
    start();
    await look();
    requests.say(NAME, { kind: 'denied', message: 'not today' });
    await clock.advance(600_000);
    expect(states.at(-1)).toEqual({
      isServing: false,
      reason: 'RequestDenied',
      message: `serving certificate: ${NAME} was denied (not today); to ask again: kubectl delete csr ${NAME}`,
    });
    expect(requests.history).toHaveLength(1);
    requests.expire(NAME);
    await clock.advance(60_000);
    expect(requests.history).toHaveLength(2);
  });

  it('refused by its signer is told with the signer’s words', async () => {
    start();
    await look();
    requests.say(NAME, { kind: 'failed', message: 'SignerValidationFailure' });
    await look();
    expect(states.at(-1)?.message).toContain(
      'refused by signer kubernetes.io/kubelet-serving (SignerValidationFailure)',
    );
  });

  it('for another key, or without the names, is not served', async () => {
    start();
    await look();
    const other = makeCertificateRequest({
      organization: 'system:nodes',
      commonName: 'system:node:fargate',
      names: ['x'],
    });
    const certificate = await authority.sign(other.request, { notBefore: START, notAfter: START + DAY_MS });
    requests.say(NAME, { kind: 'issued', certificate });
    await look();
    expect(issued).toEqual([]);
    expect(states.at(-1)).toMatchObject({ isServing: false, reason: 'RequestNotPossible' });
    expect(states.at(-1)?.message).toContain('it is for another key');
    await clock.advance(60_000);
    await sign();
    await clock.advance(60_000);
    expect(issued).toHaveLength(1);
  });

  it('that may not be asked for is told and tried again', async () => {
    requests.failWith(new PermanentError('certificatesigningrequests is forbidden'));
    start();
    await look();
    expect(states.at(-1)).toEqual({
      isServing: false,
      reason: 'RequestNotPossible',
      message: 'serving certificate: certificatesigningrequests is forbidden',
    });
    requests.failWith(undefined);
    await clock.advance(60_000);
    expect(reasons()).toContain('WaitingForApproval');
  });
});

describe('after a restart', () => {
  it('a kept certificate serves at once and nothing is asked for', async () => {
    const keeper = new MemoryCertificateKeeper();
    start(keeper);
    await look();
    await sign();
    await look();
    await die();
    start(keeper);
    await look();
    expect(issued[1]).toEqual(issued[0]);
    expect(requests.history).toHaveLength(1);
  });

  it('a kept key goes on waiting for the same request', async () => {
    const keeper = new MemoryCertificateKeeper();
    start(keeper);
    await look();
    await die();
    start(keeper);
    await look();
    expect(requests.history).toHaveLength(1);
    await sign();
    await look();
    expect(issued).toHaveLength(1);
  });

  it.each(['pending', 'approved'] as const)(
    'a request whose key is gone is replaced, not left behind: %s',
    async (kind) => {
      start();
      await look();
      requests.say(NAME, { kind });
      await die();
      start();
      await look();
      expect(requests.history.map(({ uid }) => uid)).toEqual(['csr-1', 'csr-2']);
      expect(requests.get(NAME)?.uid).toBe('csr-2');
      await sign();
      await look();
      expect(issued).toHaveLength(1);
    },
  );

  it('with another address a certificate for the new one is asked for', async () => {
    const keeper = new MemoryCertificateKeeper();
    start(keeper);
    await look();
    await sign();
    await look();
    await die();
    requests.expire(NAME);
    start(keeper, ['192.0.2.8', 'fargate']);
    await look();
    expect(requests.history).toHaveLength(2);
    expect(states.at(-1)).toMatchObject({ isServing: false, reason: 'WaitingForApproval' });
  });

  it('an expired one is not served', async () => {
    const keeper = new MemoryCertificateKeeper();
    start(keeper);
    await look();
    await sign(1);
    await look();
    await die();
    await clock.advance(2 * DAY_MS);
    issued = [];
    start(keeper);
    await look();
    expect(issued).toEqual([]);
  });
});

it('two processes that want the same certificate do not ask in turn as fast as they can', async () => {
  start();
  start();
  await clock.advance(60_000);
  expect(requests.history.length).toBeLessThan(12);
});
