import { describe, expect, it } from 'vitest';
import { aContainer, aStopped, aWorkload } from '../../../../support/a-workload.ts';
import { conditionsOf, statusOf } from './status-of.ts';

describe('conditions', () => {
  it('S-03 of a finished pod', () => {
    expect(conditionsOf(aStopped(0), { restartPolicy: 'Never' })).toEqual({
      PodScheduled: 'True',
      PodReadyToStartContainers: 'False',
      Initialized: 'True PodCompleted',
      ContainersReady: 'False PodCompleted',
      Ready: 'False PodCompleted',
    });
    expect(conditionsOf(aStopped(1), { restartPolicy: 'Never' })).toEqual({
      PodScheduled: 'True',
      PodReadyToStartContainers: 'False',
      Initialized: 'True',
      ContainersReady: 'False PodFailed',
      Ready: 'False PodFailed',
    });
  });

  it('keep their transition time for as long as they keep their status', () => {
    const conditions = [
      { type: 'Ready', status: 'True', lastTransitionTime: '2030-01-01T11:00:00Z' },
      { type: 'ContainersReady', status: 'False', lastTransitionTime: '2030-01-01T11:00:00Z' },
    ];
    const times = Object.fromEntries(
      statusOf(aWorkload(), { status: { conditions } }).conditions.map(({ type, lastTransitionTime }) => [
        type,
        lastTransitionTime,
      ]),
    );
    expect(times).toMatchObject({ Ready: '2030-01-01T11:00:00Z', ContainersReady: '2030-01-01T12:00:00Z' });
  });

  it('name what is not ready', () => {
    const containers = [{ name: 'a' }, { name: 'b' }];
    const workload = aWorkload({
      containers: [aContainer({ name: 'a' }), aContainer({ name: 'b', state: 'waiting' })],
    });
    const found = statusOf(workload, { containers }).conditions.find(({ type }) => type === 'ContainersReady');
    expect(found).toMatchObject({ reason: 'ContainersNotReady', message: 'containers with unready status: [b]' });
  });

  it('carry the generation they were made for where the server tracks it', () => {
    const metadata = { generation: 3 };
    const scheduled = { type: 'PodScheduled', status: 'True', observedGeneration: 1 };
    const tracked = statusOf(aWorkload(), { metadata, status: { conditions: [scheduled] } });
    expect(tracked.observedGeneration).toBe(3);
    expect(tracked.conditions.every(({ observedGeneration }) => observedGeneration === 3)).toBe(true);
    expect(statusOf(aWorkload(), { metadata })).not.toHaveProperty('observedGeneration');
  });
});

describe('a disruption', () => {
  const taken = aStopped(143, {
    end: { kind: 'disrupted', reason: 'SpotInterruption', message: 'Your Spot Task was interrupted.' },
  });

  it('marks a pod that will not run again', () => {
    expect(conditionsOf(taken, { restartPolicy: 'Never' })['DisruptionTarget']).toBe('True TerminationByKubelet');
  });

  it('leaves a bare pod that restarts always unmarked', () => {
    expect(conditionsOf(taken)).not.toHaveProperty('DisruptionTarget');
  });

  it('shows as soon as it is announced', () => {
    const announced = aWorkload({ stopping: true, ...(taken.end && { end: taken.end }) });
    expect(conditionsOf(announced, { restartPolicy: 'Never' })['DisruptionTarget']).toBe('True TerminationByKubelet');
  });
});
