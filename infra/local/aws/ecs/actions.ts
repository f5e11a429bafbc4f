import type { Actions } from '../answer-for.ts';
import {
  createCluster,
  deleteCluster,
  describeClusters,
  listClusters,
  putClusterCapacityProviders,
  updateCluster,
  updateClusterSettings,
} from './clusters.ts';
import type { EcsContext } from './context.ts';
import {
  describeTaskDefinition,
  listTaskDefinitionFamilies,
  listTaskDefinitions,
} from './definitions/read-definitions.ts';
import { registerTaskDefinition } from './definitions/register.ts';
import { deleteTaskDefinitions, deregisterTaskDefinition } from './definitions/retire-definitions.ts';
import { listTagsForResource, tagResource, untagResource } from './tag-actions.ts';
import { describeTasks } from './tasks/describe-tasks.ts';
import { executeCommand } from './tasks/execute-command.ts';
import { listTasks } from './tasks/list-tasks.ts';
import { runTask } from './tasks/run-task.ts';
import { stopTask } from './tasks/stop-task.ts';

/** What this ECS can do, and the request bucket each action draws from. */
export const ecsActions: Actions<EcsContext> = {
  RegisterTaskDefinition: { bucket: 'task-definition-modify', run: registerTaskDefinition },
  DeregisterTaskDefinition: { bucket: 'task-definition-modify', run: deregisterTaskDefinition },
  DescribeTaskDefinition: { bucket: 'task-definition-read', run: describeTaskDefinition },
  ListTaskDefinitions: { bucket: 'task-definition-read', run: listTaskDefinitions },
  ListTaskDefinitionFamilies: { bucket: 'task-definition-read', run: listTaskDefinitionFamilies },
  DeleteTaskDefinitions: { bucket: 'task-definition-delete', run: deleteTaskDefinitions },
  CreateCluster: { bucket: 'cluster-modify', run: createCluster },
  DeleteCluster: { bucket: 'cluster-modify', run: deleteCluster },
  PutClusterCapacityProviders: { bucket: 'cluster-modify', run: putClusterCapacityProviders },
  UpdateCluster: { bucket: 'cluster-modify', run: updateCluster },
  UpdateClusterSettings: { bucket: 'cluster-modify', run: updateClusterSettings },
  DescribeClusters: { bucket: 'cluster-read', run: describeClusters },
  ListClusters: { bucket: 'cluster-read', run: listClusters },
  RunTask: { bucket: 'cluster-resource-modify', run: runTask },
  StopTask: { bucket: 'cluster-resource-modify', run: stopTask },
  ExecuteCommand: { bucket: 'cluster-resource-modify', run: executeCommand },
  DescribeTasks: { bucket: 'cluster-resource-read', run: describeTasks },
  ListTasks: { bucket: 'cluster-resource-read', run: listTasks },
  TagResource: { bucket: 'tag-modify', run: tagResource },
  UntagResource: { bucket: 'tag-modify', run: untagResource },
  ListTagsForResource: { bucket: 'tag-read', run: listTagsForResource },
};
