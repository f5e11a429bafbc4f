import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, inject, it } from 'vitest';
import { inputFor, matchesPattern } from '../../infra/local/cloud/event-rules.ts';
import { workloadOfEvent } from '../../src/providers/fargate/tasks/task-event.ts';
import { readTemplate } from './support/serverless.ts';
import { resource } from './support/template.ts';

const CLUSTER = 'arn:aws:ecs:eu-west-1:123456789012:cluster/svk-dev';
const template = readTemplate(inject('packageFolder'));

interface Target {
  readonly Arn: unknown;
  readonly DeadLetterConfig: unknown;
  readonly InputTransformer: {
    readonly InputPathsMap: Readonly<Record<string, string>>;
    readonly InputTemplate: string;
  };
}
const rules = (): readonly {
  readonly id: string;
  readonly pattern: Readonly<Record<string, unknown>>;
  readonly target: Target;
}[] =>
  ['TaskProgressRule', 'TaskEndRule'].map((id) => {
    const { EventPattern, Targets } = resource(template, id).Properties as {
      EventPattern: Readonly<Record<string, unknown>>;
      Targets: readonly [Target];
    };
    const text = JSON.stringify(EventPattern).replace('{"Fn::GetAtt":["Cluster","Arn"]}', JSON.stringify(CLUSTER));
    return { id, pattern: JSON.parse(text) as Readonly<Record<string, unknown>>, target: Targets[0] };
  });

const event = (detail: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> => {
  const sample = JSON.parse(readFileSync(join(import.meta.dirname, 'task-running.json'), 'utf8')) as {
    detail: Readonly<Record<string, unknown>>;
  };
  return { ...sample, detail: { ...sample.detail, ...detail } };
};
const taken = (given: unknown): readonly string[] =>
  rules().flatMap(({ id, pattern }) => (matchesPattern(pattern, given) ? [id] : []));
const message = (given: unknown): unknown => {
  const [rule] = rules().filter(({ pattern }) => matchesPattern(pattern, given));
  if (rule === undefined) throw new Error('no rule takes this event');
  const { InputPathsMap: paths, InputTemplate } = rule.target.InputTransformer;
  return JSON.parse(
    inputFor({ pattern: rule.pattern, targetArn: '', transformer: { paths, template: InputTemplate } }, given),
  );
};

describe('the rules for task events', () => {
  it.each([
    { lastStatus: 'PROVISIONING', desiredStatus: 'RUNNING', by: [] },
    { lastStatus: 'PENDING', desiredStatus: 'RUNNING', by: [] },
    { lastStatus: 'ACTIVATING', desiredStatus: 'RUNNING', by: ['TaskProgressRule'] },
    { lastStatus: 'RUNNING', desiredStatus: 'RUNNING', by: ['TaskProgressRule'] },
    { lastStatus: 'RUNNING', desiredStatus: 'STOPPED', stoppedReason: 'deleted', by: ['TaskEndRule'] },
    { lastStatus: 'DEACTIVATING', desiredStatus: 'STOPPED', stoppedReason: 'deleted', by: [] },
    { lastStatus: 'STOPPING', desiredStatus: 'STOPPED', stoppedReason: 'deleted', by: [] },
    { lastStatus: 'DEPROVISIONING', desiredStatus: 'STOPPED', stoppedReason: 'deleted', by: ['TaskEndRule'] },
    { lastStatus: 'STOPPED', desiredStatus: 'STOPPED', by: ['TaskProgressRule'] },
  ])('take $lastStatus, wanted $desiredStatus: $by', ({ by, ...detail }) => {
    expect(taken(event(detail))).toEqual(by);
  });

  it('take nothing of another cluster, source or kind', () => {
    expect(taken(event({ clusterArn: 'arn:aws:ecs:eu-west-1:123456789012:cluster/svk-prod' }))).toEqual([]);
    expect(taken({ ...event({}), source: 'aws.ec2' })).toEqual([]);
    expect(taken({ ...event({}), 'detail-type': 'ECS Deployment State Change' })).toEqual([]);
  });

  it('bring what an observation needs to the pod queue, and leave the overrides behind', () => {
    const given = event({ stopCode: 'TaskFailedToStart', stoppedReason: 'exec: "no-such-program": not found' });
    const { overrides, ...detail } = given['detail'] as Readonly<Record<string, unknown>>;
    expect(overrides).toBeDefined();
    expect(message(given)).toEqual({
      ...given,
      detail: { ...detail, stoppingAt: '', executionStoppedAt: '', stoppedAt: '' },
    });
  });

  it.each([
    { what: 'a running task', detail: {} },
    {
      what: 'a task that ended',
      detail: {
        lastStatus: 'STOPPED',
        desiredStatus: 'STOPPED',
        stopCode: 'EssentialContainerExited',
        stoppedReason: 'Essential container in task exited',
        stoppedAt: '2026-12-01T09:05:00.000Z',
        containers: [{ name: 'hello', lastStatus: 'STOPPED', exitCode: 3, image: 'busybox' }],
      },
    },
  ])('say to the provider what the whole event of $what would say', ({ detail }) => {
    const given = event(detail);
    const whole = workloadOfEvent(given, CLUSTER);
    expect(whole).toMatchObject({ podUid: '6f9619ff-8b86-d011-b42d-00cf4fc964ff' });
    expect(workloadOfEvent(message(given), CLUSTER)).toEqual(whole);
  });

  it('leave a text empty where the event has none', () => {
    const { detail } = message(event({})) as { detail: Readonly<Record<string, unknown>> };
    expect(detail).toMatchObject({ version: 4, stopCode: '', stoppedAt: '', startedAt: '2026-12-01T09:00:31.000Z' });
    expect(detail).not.toHaveProperty('stoppedReason');
  });

  it('name the pod queue, and the dead letters for what it cannot take', () => {
    for (const { target } of rules()) {
      expect(target.Arn).toEqual({ 'Fn::GetAtt': ['PodQueue', 'Arn'] });
      expect(target.DeadLetterConfig).toEqual({ Arn: { 'Fn::GetAtt': ['PodDeadLetterQueue', 'Arn'] } });
    }
  });
});
