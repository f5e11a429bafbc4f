import { describe, expect, it } from 'vitest';
import { podStatus } from '../../../../../src/controllers/pod/status/pod-status.ts';
import { readPod } from '../../../../support/a-view.ts';
import { aContainer, anAttempt, aWorkload, NOW } from '../../../../support/a-workload.ts';
import { conditionsOf, mainOf, statusOf } from './status-of.ts';

describe('ready', () => {
  it.each([
    { when: 'it runs and has no check', container: {}, ready: true },
    { when: 'it has no check and nobody knows its health', container: { health: 'unknown' }, ready: true },
    { when: 'its check fails', container: { health: 'unhealthy' }, ready: false },
    { when: 'its check passes', container: { health: 'healthy' }, ready: true },
  ] as const)('is $ready when $when', ({ container, ready }) => {
    expect(mainOf(aWorkload({ containers: [aContainer(container)] })).ready).toBe(ready);
    expect(conditionsOf(aWorkload({ containers: [aContainer(container)] }))['Ready']).toBe(
      ready ? 'True' : 'False ContainersNotReady',
    );
  });

  it.each(['readinessProbe', 'startupProbe'] as const)(
    'S-15 is False while its %s has not said anything yet',
    (probe) => {
      const containers = [{ [probe]: { exec: { command: ['true'] } } }];
      expect(mainOf(aWorkload({ containers: [aContainer({ health: 'unknown' })] }), { containers }).ready).toBe(false);
    },
  );

  it.each([
    { when: 'a liveness probe has not passed yet', health: 'unknown', probes: ['livenessProbe'] },
    { when: 'a liveness probe fails', health: 'unhealthy', probes: ['livenessProbe'] },
    { when: 'a provider says nothing of health', health: undefined, probes: ['readinessProbe', 'startupProbe'] },
  ] as const)('is True where $when', ({ health, probes }) => {
    const containers = [Object.fromEntries(probes.map((probe) => [probe, { exec: { command: ['true'] } }]))];
    const main = mainOf(aWorkload({ containers: [aContainer(health && { health })] }), { containers });
    expect(main).toMatchObject({ ready: true, started: true });
  });

  it('of a container with a startup probe alone stays True once that has passed', () => {
    const containers = [{ startupProbe: { exec: { command: ['true'] } } }];
    const workload = aWorkload({ containers: [aContainer({ health: 'unhealthy' })] });
    const pod = readPod({ containers });
    const [main] = podStatus(
      pod,
      { attempts: [anAttempt(workload, { passed: ['main'] })], restarts: {} },
      NOW,
    ).containerStatuses;
    expect(main).toMatchObject({ ready: true, started: true });
  });

  it('is over as soon as somebody stops the task', () => {
    expect(conditionsOf(aWorkload({ stopping: true }))).toMatchObject({ Ready: 'False ContainersNotReady' });
  });

  const gate = { readinessGates: [{ conditionType: 'example.com/registered' }] };
  it.each([
    { status: undefined, ready: 'False ReadinessGatesNotReady' },
    { status: 'False', ready: 'False ReadinessGatesNotReady' },
    { status: 'True', ready: 'True' },
  ])('S-19 waits for a gate that is $status: $ready', ({ status, ready }) => {
    const conditions = status === undefined ? [] : [{ type: 'example.com/registered', status }];
    expect(conditionsOf(aWorkload(), { ...gate, status: { conditions } })).toMatchObject({
      ContainersReady: 'True',
      Ready: ready,
    });
  });

  it('S-19 names the gate that is missing', () => {
    const ready = statusOf(aWorkload(), gate).conditions.find(({ type }) => type === 'Ready');
    expect(ready?.message).toBe(
      'corresponding condition of pod readiness gate "example.com/registered" does not exist.',
    );
  });
});
