import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseTask } from '../../src/providers/fargate/tasks/ecs-task.ts';
import { workloadOfEvent } from '../../src/providers/fargate/tasks/task-event.ts';
import { taskToWorkload } from '../../src/providers/fargate/tasks/task-to-workload.ts';

interface Golden {
  readonly title: string;
  readonly task: Readonly<Record<string, unknown>>;
  readonly workload: unknown;
}

const FOLDER = new URL('./tasks/', import.meta.url);
const goldens = readdirSync(FOLDER).map(
  (name): Golden => JSON.parse(readFileSync(new URL(name, FOLDER), 'utf8')) as Golden,
);

/** As the SDK gives it: dates where events have texts. */
const withDates = (task: Golden['task']): unknown =>
  Object.fromEntries(
    Object.entries(task).map(([key, value]) => [key, key.endsWith('At') ? new Date(String(value)) : value]),
  );

describe('a task becomes what is written', () => {
  it.each(goldens)('$title, as DescribeTasks shows it', ({ task, workload }) => {
    const parsed = parseTask(withDates(task));
    expect(parsed && taskToWorkload(parsed)).toEqual(workload);
  });

  it.each(goldens)('$title, as an event shows it', ({ task, workload }) => {
    const event = { version: '0', source: 'aws.ecs', 'detail-type': 'ECS Task State Change', detail: task };
    expect(workloadOfEvent(event, 'arn:aws:ecs:eu-west-1:123456789012:cluster/svk-dev')).toEqual(workload);
  });
});
