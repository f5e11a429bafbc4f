import type { EcsApi } from '../../../src/providers/fargate/aws/ecs-api.ts';

/** ECS that answers as told; a call nobody has foreseen fails the test. */
export const scriptedEcs = (answers: Partial<EcsApi> = {}): EcsApi => {
  const unforeseen = (call: string) => () => Promise.reject(new Error(`nobody has foreseen ${call}`));
  return {
    registerTaskDefinition: unforeseen('registerTaskDefinition'),
    deregisterTaskDefinition: unforeseen('deregisterTaskDefinition'),
    runTask: unforeseen('runTask'),
    describeTasks: unforeseen('describeTasks'),
    listTasks: unforeseen('listTasks'),
    executeCommand: unforeseen('executeCommand'),
    stopTask: unforeseen('stopTask'),
    describeClusters: unforeseen('describeClusters'),
    ...answers,
  };
};
