import { describe, expect, it } from 'vitest';
import { logStreamOf, spansOf, toTaskView } from '../../../../infra/local/page/task-view.ts';
import { aTask } from './a-task.ts';

describe('the time line of a task', () => {
  it.each([
    { want: 'one open stretch at its birth', moments: {}, spans: [['provisioning', 1000, undefined]] },
    {
      want: 'stretches that follow each other while it runs',
      moments: { pullStartedAt: 2000, pullStoppedAt: 4000, startedAt: 5000 },
      spans: [
        ['provisioning', 1000, 2000],
        ['pulling', 2000, 4000],
        ['starting', 4000, 5000],
        ['running', 5000, undefined],
      ],
    },
    {
      want: 'an end where it has one, without what never was',
      moments: { pullStartedAt: 2000, stoppingAt: 3000, stoppedAt: 3500 },
      spans: [
        ['provisioning', 1000, 2000],
        ['pulling', 2000, 3000],
        ['stopping', 3000, 3500],
      ],
    },
  ])('has $want', ({ moments, spans }) => {
    expect(spansOf(aTask(moments)).map(({ what, from, to }) => [what, from, to])).toEqual(spans);
  });
});

describe('a task on the page', () => {
  it('tells its attempt, address, end and containers', () => {
    const [container] = aTask().containers;
    const task = aTask({
      group: 'svk:3.1',
      lastStatus: 'STOPPED',
      attachment: { id: 'a1', status: 'DELETED', subnetId: 'subnet-1', privateIp: '10.0.0.7' },
      stopCode: 'EssentialContainerExited',
      stoppedReason: 'Essential container in task exited',
      containers: container ? [{ ...container, lastStatus: 'STOPPED', exitCode: 3, reason: 'why' }] : [],
    });
    expect(toTaskView(task)).toEqual({
      id: 't1',
      attempt: 3,
      lastStatus: 'STOPPED',
      ip: '10.0.0.7',
      stopped: 'EssentialContainerExited: Essential container in task exited',
      containers: [{ name: 'app', status: 'STOPPED', exitCode: 3, reason: 'why', logs: true }],
      spans: [{ what: 'provisioning', from: 1000 }],
    });
  });

  it('has a log where awslogs writes one', () => {
    expect(logStreamOf(aTask(), 'app')).toEqual({ group: 'pods', stream: 'svk/app/t1' });
    expect(logStreamOf(aTask(), 'aws-guardduty-agent-1')).toBeUndefined();
  });
});
