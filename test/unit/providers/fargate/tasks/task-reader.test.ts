import { describe, expect, it } from 'vitest';
import { TransientError } from '../../../../../src/core/errors.ts';
import { TaskReader } from '../../../../../src/providers/fargate/tasks/task-reader.ts';
import { scriptedEcs } from '../../../../fakes/aws/scripted-ecs.ts';

const { signal } = new AbortController();
const CLUSTER = 'arn:aws:ecs:eu-west-1:123456789012:cluster/svk-dev';
const arnOf = (number: number): string => `arn:aws:ecs:eu-west-1:123456789012:task/svk-dev/${number}`;

describe('listing tasks', () => {
  it('goes on until the last page, a call of each kind for a hundred', async () => {
    const asked: unknown[] = [];
    const reader = new TaskReader(
      scriptedEcs({
        listTasks: async ({ nextToken, maxResults }) => {
          asked.push(['list', nextToken, maxResults]);
          const page = Number(nextToken ?? 0);
          const taskArns = Array.from({ length: page === 2 ? 50 : 100 }, (_, index) => arnOf(page * 100 + index));
          return { taskArns, ...(page < 2 && { nextToken: String(page + 1) }) };
        },
        describeTasks: async ({ tasks = [] }) => {
          asked.push(['describe', tasks.length]);
          return { tasks: tasks.map((taskArn) => ({ taskArn })) };
        },
      }),
      CLUSTER,
    );
    const listed: string[] = [];
    for await (const { taskArn } of reader.list({ desiredStatus: 'RUNNING' }, signal)) listed.push(taskArn);
    expect(listed).toEqual(Array.from({ length: 250 }, (_, index) => arnOf(index)));
    expect(asked).toEqual([
      ['list', undefined, 100],
      ['describe', 100],
      ['list', '1', 100],
      ['describe', 100],
      ['list', '2', 100],
      ['describe', 50],
    ]);
  });

  it('takes an empty page for no end', async () => {
    const pages = [
      { taskArns: [], nextToken: 'more' },
      { taskArns: [arnOf(1)], nextToken: '' },
    ];
    const reader = new TaskReader(
      scriptedEcs({
        listTasks: async () => pages.shift() ?? {},
        describeTasks: async ({ tasks = [] }) => ({ tasks: tasks.map((taskArn) => ({ taskArn })) }),
      }),
      CLUSTER,
    );
    const listed: string[] = [];
    for await (const { taskArn } of reader.list({ desiredStatus: 'STOPPED' }, signal)) listed.push(taskArn);
    expect(listed).toEqual([arnOf(1)]);
  });
});

describe('describing tasks', () => {
  const answering = (reason: string): TaskReader =>
    new TaskReader(
      scriptedEcs({
        describeTasks: async () => ({ tasks: [{ taskArn: arnOf(1) }], failures: [{ arn: arnOf(2), reason }] }),
      }),
      CLUSTER,
    );

  it('tells those ECS does not know', async () => {
    const { workloads, missing } = await answering('MISSING').describe([arnOf(1), arnOf(2)], signal);
    expect(workloads.map(({ id }) => id)).toEqual([arnOf(1)]);
    expect(missing).toEqual([arnOf(2)]);
  });

  it('takes no other failure for an answer about the task', async () => {
    await expect(answering('ACCESS_DENIED').describe([arnOf(1), arnOf(2)], signal)).rejects.toThrow(TransientError);
  });
});
