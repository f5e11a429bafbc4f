import { describe, expect, it } from 'vitest';
import { type ConditionFacts, conditionsOf } from '../../../../../src/controllers/pod/status/conditions.ts';
import type { Pod } from '../../../../../src/model/kubernetes.ts';

const now = Date.parse('2030-01-01T00:00:00Z');
const pod: Pod = { metadata: { name: 'p' }, spec: { containers: [{ name: 'main' }] } };
const facts: ConditionFacts = {
  pod,
  phase: 'Running',
  containers: [{ name: 'main', ready: true, restartCount: 0, image: 'i', imageID: '', state: { running: {} } }],
  initContainers: [],
  hasSandbox: true,
  disruption: undefined,
  configIssue: undefined,
  now,
};

describe('conditionsOf', () => {
  it('S-19 is not ready while a gate is unknown', () => {
    const gated: Pod = {
      ...pod,
      spec: { containers: [{ name: 'main' }], readinessGates: [{ conditionType: 'example.com/registered' }] },
      status: { conditions: [{ type: 'example.com/registered', status: 'Unknown' }] },
    };
    expect(conditionsOf({ ...facts, pod: gated }).find(({ type }) => type === 'Ready')).toMatchObject({
      status: 'False',
      reason: 'ReadinessGatesNotReady',
      message: 'the status of pod readiness gate "example.com/registered" is not "True", but Unknown',
    });
  });

  it('adds PodScheduled to a pod that was created with its node, as kubelet does', () => {
    expect(conditionsOf(facts)).toContainEqual({
      type: 'PodScheduled',
      status: 'True',
      lastTransitionTime: '2030-01-01T00:00:00Z',
    });
  });

  it('leaves the scheduler’s own PodScheduled alone', () => {
    const scheduled = { type: 'PodScheduled', status: 'True', lastTransitionTime: '2029-12-31T00:00:00Z' };
    const types = conditionsOf({ ...facts, pod: { ...pod, status: { conditions: [scheduled] } } }).map(
      ({ type }) => type,
    );
    expect(types).toEqual(['PodReadyToStartContainers', 'Initialized', 'ContainersReady', 'Ready']);
  });

  it('keeps a transition time for as long as the status stays', () => {
    const held = { type: 'Ready', status: 'True', lastTransitionTime: '2029-12-31T00:00:00Z' };
    const ready = conditionsOf({ ...facts, pod: { ...pod, status: { conditions: [held] } } }).find(
      ({ type }) => type === 'Ready',
    );
    expect(ready).toEqual(held);
  });
});
