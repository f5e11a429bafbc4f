import type { TaskRecord } from '../tasks/task-record.ts';

/**
 * What the state of its containers means for the task: RUNNING once all have started, stopping once an essential one has
 * ended. Pure; an empty patch where nothing follows.
 */
export const consequencesOf = (task: TaskRecord, now: number): Partial<TaskRecord> => {
  if (task.desiredStatus === 'STOPPED') return {};
  const ended = task.containers.find(({ essential, lastStatus }) => essential && lastStatus === 'STOPPED');
  if (ended) {
    const failedToStart = ended.runtimeId === undefined;
    return {
      desiredStatus: 'STOPPED',
      stoppingAt: now,
      stopCode: failedToStart ? 'TaskFailedToStart' : 'EssentialContainerExited',
      stoppedReason: failedToStart ? 'Task failed to start' : 'Essential container in task exited',
    };
  }
  const allStarted = task.containers.every(({ lastStatus }) => lastStatus !== 'PENDING');
  return task.lastStatus === 'ACTIVATING' && allStarted ? { lastStatus: 'RUNNING', startedAt: now } : {};
};
