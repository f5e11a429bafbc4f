import type { EcsContext } from '../context.ts';

/** Forgets revisions that are being deleted and have no live task any more. */
export const removeUnused = (context: EcsContext): void => {
  const used = new Set(
    context.tasks
      .all()
      .filter(({ lastStatus }) => lastStatus !== 'STOPPED')
      .map(({ definition }) => definition.arn),
  );
  for (const { arn, status } of context.definitions.all()) {
    if (status === 'DELETE_IN_PROGRESS' && !used.has(arn)) context.definitions.remove(arn);
  }
};
