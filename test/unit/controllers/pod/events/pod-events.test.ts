import { describe, expect, it } from 'vitest';
import { kubernetesEvent, rememberedKeys } from '../../../../../src/controllers/pod/events/kubernetes-event.ts';
import { podEvents } from '../../../../../src/controllers/pod/events/pod-events.ts';
import type { PodState } from '../../../../../src/model/pod-row.ts';
import { readPod } from '../../../../support/a-view.ts';
import { anAttempt, aStopped, aWorkload, minutes, NOW } from '../../../../support/a-workload.ts';

const eventsOf = (state: Partial<PodState>): string[] =>
  podEvents(readPod(), { attempts: [], restarts: {}, ...state }, NOW).map(
    ({ type, reason, message }) => `${type} ${reason}: ${message}`,
  );

const pulled = { pullStartedAt: NOW - minutes(1), pullStoppedAt: NOW - minutes(1) + 2_500 };

describe('the events of a pod', () => {
  it("tell of a start in kubelet's words", () => {
    expect(eventsOf({ attempts: [anAttempt(aWorkload(pulled))] })).toEqual([
      'Normal Pulling: Pulling image "nginx:1.27"',
      'Normal Pulled: Successfully pulled image "nginx:1.27" in 2.5s',
      'Normal Created: Created container: main',
      'Normal Started: Started container main',
    ]);
  });

  it('tell of a command that could not be started, with its exit code, as no start at all', () => {
    const containers = [
      { name: 'main', state: 'terminated', exitCode: 128, reason: 'StartError', message: 'not found' },
    ] as const;
    expect(eventsOf({ attempts: [anAttempt(aStopped(128, { ...pulled, containers }))] })).toEqual([
      'Normal Pulling: Pulling image "nginx:1.27"',
      'Normal Pulled: Successfully pulled image "nginx:1.27" in 2.5s',
      'Warning Failed: Error: not found',
    ]);
  });

  it('tell of a stop of ours', () => {
    const attempts = [anAttempt(aStopped(143))];
    expect(eventsOf({ attempts, stops: { 'task-1': NOW } })).toContain('Normal Killing: Stopping container main');
    expect(eventsOf({ attempts })).not.toContain('Normal Killing: Stopping container main');
  });

  it('tell of a crash loop', () => {
    const backOff = { until: NOW + 10_000, seconds: 10, at: NOW, reason: 'CrashLoopBackOff', message: 'm' };
    expect(eventsOf({ attempts: [{ attempt: 3, try: 1 }], backOff })).toEqual([
      'Warning BackOff: Back-off restarting failed container main in pod web_default(uid-1)',
    ]);
  });

  it.each([
    { reason: 'OutOfCapacity', event: 'Warning OutOfCapacity: m' },
    { reason: 'ContainerCreating', event: 'Warning FailedCreatePodSandBox: m' },
    { reason: 'CreateContainerConfigError', event: 'Warning Failed: Error: m' },
  ])('tell why a launch waits: $reason', ({ reason, event }) => {
    expect(eventsOf({ backOff: { until: NOW, seconds: 10, at: NOW, reason, message: 'm' } })).toEqual([event]);
  });

  it('tell of every attempt anew, and keep their keys apart', () => {
    const state = {
      attempts: [anAttempt(aStopped(1, pulled)), anAttempt(aWorkload({ ...pulled, attempt: 2 }))],
      restarts: {},
    };
    const keys = podEvents(readPod(), state, NOW).map(({ key }) => key);
    expect(new Set(keys).size).toBe(keys.length);
    expect(keys.filter((key) => key.includes('Started'))).toEqual(['1/Started/main/Normal', '2/Started/main/Normal']);
  });
});

describe('an event on its way to the API server', () => {
  const pod = { namespace: 'default', name: 'web', uid: 'uid-1' };
  const event = {
    key: '1/Started/main/Normal',
    type: 'Normal',
    reason: 'Started',
    message: 'Started container main',
    container: 'main',
    at: NOW,
  } as const;

  it("looks like kubelet's", () => {
    expect(kubernetesEvent(pod, 'fargate', event, NOW)).toMatchObject({
      involvedObject: {
        kind: 'Pod',
        namespace: 'default',
        name: 'web',
        uid: 'uid-1',
        fieldPath: 'spec.containers{main}',
      },
      type: 'Normal',
      reason: 'Started',
      message: 'Started container main',
      source: { component: 'kubelet', host: 'fargate' },
      firstTimestamp: '2030-01-01T12:00:00Z',
      count: 1,
    });
  });

  it('has the same name each time, and another one for another pod of the same name', () => {
    const name = (uid: string): string | undefined =>
      kubernetesEvent({ ...pod, uid }, 'fargate', event, NOW).metadata?.name;
    expect(name('uid-1')).toBe(name('uid-1'));
    expect(name('uid-1')).not.toBe(name('uid-2'));
    expect(name('uid-1')).toMatch(/^web\.[0-9a-f]{16}$/);
  });

  it('is cut to what the server takes', () => {
    const { message } = kubernetesEvent(pod, 'fargate', { ...event, message: 'x'.repeat(2_000) }, NOW);
    expect(message).toHaveLength(1_024);
  });
});

describe('rememberedKeys', () => {
  it('forgets attempts the row has dropped', () => {
    expect(rememberedKeys(['0/FargateSize', '1/Started', '3/Started', '4/Started', '3/Started'], 3)).toEqual([
      '0/FargateSize',
      '3/Started',
      '4/Started',
    ]);
  });
});
