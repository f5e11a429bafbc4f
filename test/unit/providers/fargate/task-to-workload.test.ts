import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { workloadOf } from './observed-tasks.ts';

describe('phase', () => {
  it.each([
    ['PROVISIONING', 'RUNNING', 'starting', false],
    ['PENDING', 'RUNNING', 'starting', false],
    ['ACTIVATING', 'RUNNING', 'starting', false],
    ['RUNNING', 'RUNNING', 'running', false],
    ['RUNNING', 'STOPPED', 'running', true],
    ['DEACTIVATING', 'STOPPED', 'stopping', true],
    ['STOPPING', 'STOPPED', 'stopping', true],
    ['DEPROVISIONING', 'STOPPED', 'stopping', true],
    ['STOPPED', 'STOPPED', 'stopped', true],
    ['DELETED', 'STOPPED', 'stopped', true],
    ['PENDING', 'STOPPED', 'stopping', true],
    ['SOMETHING_NEW', 'RUNNING', 'starting', false],
  ])('%s wanted %s is %s', (lastStatus, desiredStatus, phase, stopping) => {
    expect(workloadOf({ lastStatus, desiredStatus })).toMatchObject({ phase, stopping });
  });
});

describe('containers', () => {
  it('leaves out those of AWS and our own helpers', () => {
    const names = ['aws-fargate-supervisor', 'aws-guardduty-agent-12ab', 'svk-files', 'svk-anchor', 'aws-cli'];
    const { containers } = workloadOf({ lastStatus: 'RUNNING', containers: names.map((name) => ({ name })) });
    expect(containers.map(({ name }) => name)).toEqual(['aws-cli']);
  });

  it.each([
    ['HEALTHY', 'healthy'],
    ['UNHEALTHY', 'unhealthy'],
    ['UNKNOWN', 'unknown'],
  ])('tells health %s', (healthStatus, health) => {
    expect(workloadOf({ containers: [{ name: 'web', healthStatus }] }).containers[0]?.health).toBe(health);
  });
});

it('has an answer for any task', () => {
  const text = fc.option(fc.string(), { nil: undefined });
  fc.assert(
    fc.property(
      fc.record({
        lastStatus: text,
        desiredStatus: text,
        stopCode: text,
        stoppedReason: text,
        startedBy: text,
        group: text,
      }),
      fc.array(
        fc.record({
          name: fc.string(),
          lastStatus: text,
          reason: text,
          exitCode: fc.option(fc.integer(), { nil: undefined }),
        }),
      ),
      (task, containers) => {
        const workload = workloadOf({ ...task, containers });
        expect(['starting', 'running', 'stopping', 'stopped']).toContain(workload.phase);
        const killed = workload.containers.filter(({ reason }) => reason === 'OOMKilled');
        expect(killed.every(({ exitCode }) => exitCode !== 0)).toBe(true);
      },
    ),
  );
});
