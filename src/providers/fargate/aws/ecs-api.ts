import {
  DeregisterTaskDefinitionCommand,
  type DeregisterTaskDefinitionCommandInput,
  DescribeClustersCommand,
  type DescribeClustersCommandInput,
  type DescribeClustersCommandOutput,
  DescribeTasksCommand,
  type DescribeTasksCommandInput,
  type DescribeTasksCommandOutput,
  type ECSClient,
  ExecuteCommandCommand,
  type ExecuteCommandCommandInput,
  type ExecuteCommandCommandOutput,
  ListTasksCommand,
  type ListTasksCommandInput,
  type ListTasksCommandOutput,
  RegisterTaskDefinitionCommand,
  type RegisterTaskDefinitionCommandInput,
  type RegisterTaskDefinitionCommandOutput,
  RunTaskCommand,
  type RunTaskCommandInput,
  type RunTaskCommandOutput,
  StopTaskCommand,
  type StopTaskCommandInput,
} from '@aws-sdk/client-ecs';

/** The calls of ECS this provider makes. Each rejects with the SDK's error, and gives up when `signal` aborts. */
export interface EcsApi {
  registerTaskDefinition(
    input: RegisterTaskDefinitionCommandInput,
    signal: AbortSignal,
  ): Promise<Pick<RegisterTaskDefinitionCommandOutput, 'taskDefinition'>>;
  deregisterTaskDefinition(input: DeregisterTaskDefinitionCommandInput, signal: AbortSignal): Promise<unknown>;
  runTask(input: RunTaskCommandInput, signal: AbortSignal): Promise<Pick<RunTaskCommandOutput, 'tasks' | 'failures'>>;
  describeTasks(
    input: DescribeTasksCommandInput,
    signal: AbortSignal,
  ): Promise<Pick<DescribeTasksCommandOutput, 'tasks' | 'failures'>>;
  listTasks(
    input: ListTasksCommandInput,
    signal: AbortSignal,
  ): Promise<Pick<ListTasksCommandOutput, 'taskArns' | 'nextToken'>>;
  /** The answer holds secrets. */
  executeCommand(
    input: ExecuteCommandCommandInput,
    signal: AbortSignal,
  ): Promise<Pick<ExecuteCommandCommandOutput, 'session'>>;
  stopTask(input: StopTaskCommandInput, signal: AbortSignal): Promise<unknown>;
  describeClusters(
    input: DescribeClustersCommandInput,
    signal: AbortSignal,
  ): Promise<Pick<DescribeClustersCommandOutput, 'clusters' | 'failures'>>;
}

/** {@link EcsApi} over the SDK; commands are named one by one so that bundles hold no others. */
export const createEcsApi = (client: ECSClient): EcsApi => ({
  registerTaskDefinition: (input, signal) =>
    client.send(new RegisterTaskDefinitionCommand(input), { abortSignal: signal }),
  deregisterTaskDefinition: (input, signal) =>
    client.send(new DeregisterTaskDefinitionCommand(input), { abortSignal: signal }),
  runTask: (input, signal) => client.send(new RunTaskCommand(input), { abortSignal: signal }),
  describeTasks: (input, signal) => client.send(new DescribeTasksCommand(input), { abortSignal: signal }),
  listTasks: (input, signal) => client.send(new ListTasksCommand(input), { abortSignal: signal }),
  executeCommand: (input, signal) => client.send(new ExecuteCommandCommand(input), { abortSignal: signal }),
  stopTask: (input, signal) => client.send(new StopTaskCommand(input), { abortSignal: signal }),
  describeClusters: (input, signal) => client.send(new DescribeClustersCommand(input), { abortSignal: signal }),
});
