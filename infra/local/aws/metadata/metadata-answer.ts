import type { EcsContext } from '../ecs/context.ts';
import type { TaskRecord } from '../ecs/tasks/task-record.ts';
import { metadataOfContainer, metadataOfTask } from './metadata-shapes.ts';

/**
 * Answers `/v4/ID`, `/v4/ID/task`, `/v4/ID/stats` and `/v4/ID/task/stats` (ECS developer guide, "task metadata endpoint
 * version 4 for tasks on Fargate"). Undefined for any other path and for tasks that have ended.
 */
export const metadataAnswer = async (
  context: EcsContext,
  path: string,
  signal: AbortSignal,
): Promise<{ readonly body: unknown } | undefined> => {
  const [, id = '', what = ''] = /^\/v4\/([\w-]+)((?:\/\w+)*)\/?$/.exec(path) ?? [];
  const endpoint = context.metadata.find(id);
  if (!endpoint) return undefined;
  const task = context.tasks.get(endpoint.taskArn);
  const viewOf = (name: string) => context.agents.view(task.arn, name);
  switch (what) {
    case '': {
      const container = task.containers.find(({ name }) => name === endpoint.container);
      return container && { body: metadataOfContainer(context, task, container, viewOf(container.name)) };
    }
    case '/task':
      return { body: metadataOfTask(context, task, viewOf) };
    case '/stats':
      return { body: (await viewOf(endpoint.container)?.stats(signal)) ?? null };
    case '/task/stats':
      return { body: await statsOfAll(task, async (name) => (await viewOf(name)?.stats(signal)) ?? null) };
    default:
      return undefined;
  }
};

/** By the container's id, as Docker names it in the other answers; null where nothing is known yet. */
const statsOfAll = async (
  task: TaskRecord,
  statsOf: (name: string) => Promise<unknown>,
): Promise<Readonly<Record<string, unknown>>> => {
  const started = task.containers.flatMap(({ name, runtimeId }) =>
    runtimeId === undefined ? [] : [{ name, runtimeId }],
  );
  return Object.fromEntries(
    await Promise.all(started.map(async ({ name, runtimeId }) => [runtimeId, await statsOf(name)] as const)),
  );
};
