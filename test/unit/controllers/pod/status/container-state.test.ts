import { describe, expect, it } from 'vitest';
import { aContainer, aStopped, aWorkload } from '../../../../support/a-workload.ts';
import { ended, mainOf } from './status-of.ts';

describe('container state', () => {
  it.each([
    { of: 'exit code 0', workload: ended({ exitCode: 0 }), terminated: { exitCode: 0, reason: 'Completed' } },
    { of: 'S-01 a crash', workload: ended({ exitCode: 7 }), terminated: { exitCode: 7, reason: 'Error' } },
    {
      of: 'S-07 running out of memory',
      workload: ended({ exitCode: 137, reason: 'OOMKilled' }),
      terminated: { exitCode: 137, reason: 'OOMKilled' },
    },
    { of: 'S-07 our own stop', workload: ended({ exitCode: 137 }), terminated: { exitCode: 137, reason: 'Error' } },
    { of: 'S-07 SIGTERM', workload: ended({ exitCode: 143 }), terminated: { exitCode: 143, reason: 'Error' } },
    {
      of: 'an end without an exit code',
      workload: ended({}),
      terminated: { exitCode: 137, reason: 'ContainerStatusUnknown' },
    },
    {
      of: 'a program that cannot be started',
      workload: ended({}, {
        startedAt: undefined,
        end: { kind: 'failed-to-start', reason: 'RunContainerError', message: 'exec format error' },
      } as never),
      terminated: { exitCode: 128, reason: 'StartError', message: 'exec format error' },
    },
  ])('of $of', ({ workload, terminated }) => {
    expect(mainOf(workload, { restartPolicy: 'Never' }).state).toMatchObject({ terminated });
  });

  it.each([
    {
      from: 'the container',
      workload: ended({ exitCode: 1, message: 'Container killed' }),
      message: 'Container killed',
    },
    {
      from: 'the task',
      workload: ended(
        { exitCode: 1 },
        { end: { kind: 'requested', reason: 'UserInitiated', message: 'Task stopped by a user' } },
      ),
      message: 'Task stopped by a user',
    },
    {
      from: 'the stop code',
      workload: ended({ exitCode: 1 }, { end: { kind: 'exited', reason: 'EssentialContainerExited', message: '' } }),
      message: 'EssentialContainerExited',
    },
    {
      from: 'nobody',
      workload: ended({ exitCode: 1 }, { end: { kind: 'exited', reason: '', message: '' } }),
      message: 'task stopped without a reason',
    },
  ])('S-13 has its message from $from', ({ workload, message }) => {
    expect(mainOf(workload, { restartPolicy: 'Never' }).state?.terminated?.message).toBe(message);
  });

  it('S-13 has no message after a success: the end of an essential container is no error', () => {
    expect(mainOf(ended({ exitCode: 0 }), { restartPolicy: 'Never' }).state?.terminated).not.toHaveProperty('message');
  });

  it('has the times of the task', () => {
    expect(mainOf(aWorkload()).state).toEqual({ running: { startedAt: '2030-01-01T11:59:00Z' } });
    expect(mainOf(aStopped(0), { restartPolicy: 'Never' }).state?.terminated).toMatchObject({
      startedAt: '2030-01-01T11:59:00Z',
      finishedAt: '2030-01-01T12:00:00Z',
      containerID: 'fargate://task-1/main',
    });
  });

  it('waits on while an exit code may still come', () => {
    const leaving = aWorkload({ phase: 'stopping', stopping: true, containers: [aContainer({ state: 'terminated' })] });
    const running = {
      name: 'main',
      image: 'i',
      imageID: '',
      ready: true,
      restartCount: 0,
      state: { running: { startedAt: '2030-01-01T11:59:00Z' } },
    };
    expect(mainOf(leaving, { status: { containerStatuses: [running] } }).state).toEqual(running.state);
  });

  it('names the digest that runs', () => {
    const digest = 'sha256:aa';
    expect(mainOf(aWorkload({ containers: [aContainer({ imageDigest: digest })] })).imageID).toBe('nginx@sha256:aa');
    const containers = [{ image: 'registry:5000/team/app:1.2@sha256:bb' }];
    expect(mainOf(aWorkload({ containers: [aContainer({ imageDigest: digest })] }), { containers }).imageID).toBe(
      'registry:5000/team/app@sha256:aa',
    );
  });
});
