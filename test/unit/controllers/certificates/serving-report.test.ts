import { beforeEach, describe, expect, it } from 'vitest';
import { ServingReport } from '../../../../src/controllers/certificates/serving-report.ts';
import { waitingState } from '../../../../src/controllers/certificates/serving-state.ts';
import { TransientError } from '../../../../src/core/errors.ts';
import type { CertificateRequest } from '../../../../src/ports/certificates.ts';
import { FakeClock } from '../../../fakes/clock.ts';
import { FakeKubernetes } from '../../../fakes/kubernetes/fake-kubernetes.ts';
import { RecordingLogger } from '../../../support/recording-logger.ts';

const { signal } = new AbortController();
const pending: CertificateRequest = {
  name: 'svk-fargate-serving',
  uid: 'csr-1',
  signerName: 'kubernetes.io/kubelet-serving',
  request: '',
  state: { kind: 'pending' },
};
const WAITING = waitingState(pending, undefined);
const ISSUED = { isServing: true, reason: 'Issued', message: 'serving certificate valid until 2031-01-01T00:00:00Z' };

let clock: FakeClock;
let kubernetes: FakeKubernetes;
let report: ServingReport;
beforeEach(() => {
  clock = new FakeClock('2030-01-01T00:00:00Z');
  kubernetes = new FakeKubernetes({ clock });
  const { nodes, events } = kubernetes;
  report = new ServingReport({ node: 'fargate', nodes, events, clock, logger: new RecordingLogger() });
});

const condition = () =>
  kubernetes.findNode('fargate')?.status?.conditions?.find(({ type }) => type === 'ServingCertificate');

describe('A-02 a node whose certificate waits', () => {
  it('says so in a condition beside those of others, and in one event', async () => {
    kubernetes.addNode({
      metadata: { name: 'fargate' },
      status: { conditions: [{ type: 'Ready', status: 'True' }] },
    });
    await report.tell(WAITING, pending, signal);
    await report.tell(WAITING, pending, signal);
    expect(condition()).toEqual({
      type: 'ServingCertificate',
      status: 'False',
      reason: 'WaitingForApproval',
      message:
        'serving certificate waiting for approval of svk-fargate-serving: kubectl certificate approve svk-fargate-serving',
      lastHeartbeatTime: '2030-01-01T00:00:00Z',
      lastTransitionTime: '2030-01-01T00:00:00Z',
    });
    expect(kubernetes.findNode('fargate')?.status?.conditions).toHaveLength(2);
    expect(kubernetes.events.list).toHaveLength(1);
    expect(kubernetes.events.list[0]).toMatchObject({
      type: 'Warning',
      reason: 'ServingCertificateWaitingForApproval',
      involvedObject: { kind: 'Node', name: 'fargate' },
    });
    expect(kubernetes.count('nodes.patchStatus')).toBe(1);
  });

  it('says when that ends, and no event more', async () => {
    kubernetes.addNode({ metadata: { name: 'fargate' } });
    await report.tell(WAITING, pending, signal);
    await clock.advance(30_000);
    await report.tell(ISSUED, { ...pending, state: { kind: 'issued', certificate: '' } }, signal);
    expect(condition()).toMatchObject({
      status: 'True',
      reason: 'Issued',
      lastTransitionTime: '2030-01-01T00:00:30Z',
    });
    expect(kubernetes.events.list).toHaveLength(1);
  });

  it('says it again after a minute: the Node may have been made anew', async () => {
    await report.tell(WAITING, pending, signal);
    kubernetes.addNode({ metadata: { name: 'fargate' } });
    await report.tell(WAITING, pending, signal);
    expect(condition()?.reason).toBe('WaitingForApproval');
    kubernetes.deleteNode('fargate');
    kubernetes.addNode({ metadata: { name: 'fargate' } });
    await clock.advance(60_000);
    await report.tell(WAITING, pending, signal);
    expect(condition()).toMatchObject({ lastHeartbeatTime: '2030-01-01T00:01:00Z' });
  });

  it('is told of by the next call where the API server did not answer', async () => {
    kubernetes.addNode({ metadata: { name: 'fargate' } });
    kubernetes.failNext('nodes.patchStatus', new TransientError('no answer'));
    await report.tell(WAITING, pending, signal);
    expect(kubernetes.events.list).toEqual([]);
    await report.tell(WAITING, pending, signal);
    expect(condition()?.reason).toBe('WaitingForApproval');
    expect(kubernetes.events.list).toHaveLength(1);
  });
});
