import { expect, it } from 'vitest';
import type { Workload } from '../../../../../src/model/workload.ts';
import { workloadOfEvent } from '../../../../../src/providers/fargate/tasks/task-event.ts';

const clusterArn = 'arn:aws:ecs:eu-west-1:000000000000:cluster/svk-dev';

const workloadOf = (detail: object): Workload | undefined =>
  workloadOfEvent(
    {
      source: 'aws.ecs',
      'detail-type': 'ECS Task State Change',
      detail: {
        clusterArn,
        taskArn: 'arn:aws:ecs:eu-west-1:000000000000:task/svk-dev/0123456789abcdef0123456789abcdef',
        startedBy: 'svk/0a1b2c3d4e5f/11111111-2222-4333-8444-555555555555',
        group: 'svk:1.1',
        version: 3,
        createdAt: '2030-01-01T00:00:00.000Z',
        pullStartedAt: '2030-01-01T00:00:02.000Z',
        pullStoppedAt: '',
        startedAt: '',
        stopCode: '',
        containers: [],
        attachments: [],
        ...detail,
      },
    },
    clusterArn,
  );

it('reads what an input transformer left empty as absent', () => {
  const workload = workloadOf({ lastStatus: 'ACTIVATING', desiredStatus: 'RUNNING' });
  expect(workload).toMatchObject({ phase: 'starting', stopping: false, pullStartedAt: 1_893_456_002_000 });
  expect(workload).not.toHaveProperty('pullStoppedAt');
  expect(workload).not.toHaveProperty('startedAt');
  expect(workload).not.toHaveProperty('end');
});

it('takes no empty code for the reason of a stop', () => {
  const workload = workloadOf({ lastStatus: 'PENDING', desiredStatus: 'STOPPED' });
  expect(workload).toMatchObject({ phase: 'stopping', stopping: true });
  expect(workload).not.toHaveProperty('end');
});

it('is not put off by lists that are left empty', () => {
  expect(
    workloadOf({ lastStatus: 'PENDING', desiredStatus: 'RUNNING', containers: '', attachments: '' }),
  ).toMatchObject({ phase: 'starting', containers: [], ips: [] });
});
