import type { TaskDefinition } from '../../../../infra/local/aws/ecs/definitions/definition.ts';
import type { TaskRecord } from '../../../../infra/local/aws/ecs/tasks/task-record.ts';

const definition: TaskDefinition = {
  arn: 'arn:aws:ecs:eu-central-1:123456789012:task-definition/web:1',
  family: 'web',
  revision: 1,
  status: 'ACTIVE',
  cpu: '256',
  memory: '512',
  input: {},
  containers: [
    {
      name: 'app',
      image: 'nginx',
      essential: true,
      logConfiguration: {
        logDriver: 'awslogs',
        options: { 'awslogs-group': 'pods', 'awslogs-stream-prefix': 'svk', 'awslogs-region': 'eu-central-1' },
      },
    },
  ],
  tags: [],
  registeredAt: 0,
  registeredBy: 'test',
};

/** A task of the pod `u1`, first attempt, as it is born. */
export const aTask = (changes: Partial<TaskRecord> = {}): TaskRecord => ({
  arn: 'arn:aws:ecs:eu-central-1:123456789012:task/pods/t1',
  id: 't1',
  clusterArn: 'arn:aws:ecs:eu-central-1:123456789012:cluster/pods',
  clusterName: 'pods',
  definition,
  overrides: {},
  cpu: '256',
  memory: '512',
  ephemeralStorageGiB: 20,
  group: 'svk:1.1',
  startedBy: 'svk/c1/u1',
  platformVersion: '1.4.0',
  availabilityZone: 'eu-central-1a',
  enableExecuteCommand: false,
  tags: [],
  containers: [
    {
      arn: 'arn:aws:ecs:eu-central-1:123456789012:container/pods/t1/c1',
      name: 'app',
      image: 'nginx',
      lastStatus: 'PENDING',
      health: 'UNKNOWN',
      cpu: '0',
      essential: true,
    },
  ],
  attachment: { id: 'a1', status: 'PRECREATED', subnetId: 'subnet-1' },
  version: 1,
  lastStatus: 'PROVISIONING',
  desiredStatus: 'RUNNING',
  createdAt: 1000,
  updatedAt: 1000,
  visibleFrom: 1000,
  ...changes,
});
