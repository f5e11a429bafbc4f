import {
  DeleteTaskDefinitionsCommand,
  DeregisterTaskDefinitionCommand,
  DescribeTaskDefinitionCommand,
  ListTaskDefinitionFamiliesCommand,
  ListTaskDefinitionsCommand,
  RunTaskCommand,
  StopTaskCommand,
} from '@aws-sdk/client-ecs';
import { describe, expect, it } from 'vitest';
import { refusal, runRequest, startUpMs, startWorld } from './harness.ts';

const short = (arns: readonly string[] | undefined): readonly (string | undefined)[] =>
  (arns ?? []).map((arn) => arn.split('/').at(-1));

describe('task definitions', () => {
  it('gives the newest ACTIVE revision of a family, and any revision by number', async () => {
    const { ecs, register } = await startWorld();
    await register({ cpu: '256' });
    await register({ cpu: '512', memory: '1024' });
    await register({ cpu: '1024', memory: '2048' });
    await ecs.send(new DeregisterTaskDefinitionCommand({ taskDefinition: 'web:3' }));
    const newest = await ecs.send(new DescribeTaskDefinitionCommand({ taskDefinition: 'web' }));
    const third = await ecs.send(new DescribeTaskDefinitionCommand({ taskDefinition: 'web:3' }));
    expect([newest.taskDefinition?.revision, newest.taskDefinition?.status]).toEqual([2, 'ACTIVE']);
    expect([third.taskDefinition?.cpu, third.taskDefinition?.status]).toEqual(['1024', 'INACTIVE']);
  });

  it('does not know what was never registered', async () => {
    const { ecs } = await startWorld();
    expect(await refusal(ecs.send(new DescribeTaskDefinitionCommand({ taskDefinition: 'nobody' })))).toBe(
      'ClientException: Unable to describe task definition.',
    );
  });

  it('lists by status, family and page', async () => {
    const { ecs, register } = await startWorld();
    for (const family of ['web', 'web', 'db']) await register({ family });
    await ecs.send(new DeregisterTaskDefinitionCommand({ taskDefinition: 'web:1' }));
    const active = await ecs.send(new ListTaskDefinitionsCommand({}));
    const inactive = await ecs.send(new ListTaskDefinitionsCommand({ status: 'INACTIVE' }));
    const first = await ecs.send(new ListTaskDefinitionsCommand({ maxResults: 1 }));
    const second = await ecs.send(new ListTaskDefinitionsCommand({ maxResults: 1, nextToken: first.nextToken }));
    const families = await ecs.send(new ListTaskDefinitionFamiliesCommand({ familyPrefix: 'w' }));
    expect(short(active.taskDefinitionArns)).toEqual(['db:1', 'web:2']);
    expect(short(inactive.taskDefinitionArns)).toEqual(['web:1']);
    expect([short(first.taskDefinitionArns), short(second.taskDefinitionArns)]).toEqual([['db:1'], ['web:2']]);
    expect(second.nextToken).toBeUndefined();
    expect(families.families).toEqual(['web']);
  });

  it('runs no INACTIVE revision, while tasks of it go on', async () => {
    const { ecs, clock, register, run, task } = await startWorld();
    await register();
    const arn = await run();
    await ecs.send(new DeregisterTaskDefinitionCommand({ taskDefinition: 'web:1' }));
    await clock.advance(startUpMs);
    expect((await task(arn)).lastStatus).toBe('RUNNING');
    expect(await refusal(ecs.send(new RunTaskCommand(runRequest({ taskDefinition: 'web:1' }))))).toBe(
      'ClientException: TaskDefinition is inactive',
    );
    expect(await refusal(ecs.send(new RunTaskCommand(runRequest({ taskDefinition: 'web' }))))).toBe(
      'ClientException: TaskDefinition not found.',
    );
  });

  it('deletes only what was deregistered, keeps it while a task uses it, and never reuses its number', async () => {
    const { ecs, clock, register, run } = await startWorld();
    await register();
    await register();
    const arn = await run({ taskDefinition: 'web:1' });
    await clock.advance(startUpMs);
    await ecs.send(new DeregisterTaskDefinitionCommand({ taskDefinition: 'web:1' }));
    const answer = await ecs.send(
      new DeleteTaskDefinitionsCommand({ taskDefinitions: ['web:1', 'web:2', 'nobody:1'] }),
    );
    expect(answer.taskDefinitions?.map(({ status }) => status)).toEqual(['DELETE_IN_PROGRESS']);
    expect(answer.failures?.map(({ reason }) => reason)).toEqual([
      'The specified task definition is still in ACTIVE status. Please deregister the target and try again.',
      'MISSING',
    ]);
    const still = await ecs.send(new DescribeTaskDefinitionCommand({ taskDefinition: 'web:1' }));
    expect(still.taskDefinition?.status).toBe('DELETE_IN_PROGRESS');
    await ecs.send(new StopTaskCommand({ cluster: 'pods', task: arn }));
    await clock.advance(60_000);
    expect(await refusal(ecs.send(new DescribeTaskDefinitionCommand({ taskDefinition: 'web:1' })))).toBe(
      'ClientException: Unable to describe task definition.',
    );
    expect((await register()).endsWith('/web:3')).toBe(true);
  });

  it('deletes at most ten at once', async () => {
    const { ecs } = await startWorld();
    const taskDefinitions = Array.from({ length: 11 }, (_, n) => `web:${n + 1}`);
    expect(await refusal(ecs.send(new DeleteTaskDefinitionsCommand({ taskDefinitions })))).toBe(
      'InvalidParameterException: At most 10 task definitions can be deleted at once.',
    );
  });
});
