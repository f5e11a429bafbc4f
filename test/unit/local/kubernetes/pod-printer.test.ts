import { describe, expect, it } from 'vitest';
import { podPrinter } from '../../../../infra/local/kubernetes/tables/pods.ts';

const NOW = Date.parse('2030-01-01T01:00:00Z');
const status = (name: string, state: object, more: object = {}): object => ({
  name,
  ready: false,
  restartCount: 0,
  image: '',
  imageID: '',
  state,
  ...more,
});
const running = { running: { startedAt: '2030-01-01T00:00:00Z' } };
const done = { terminated: { exitCode: 0, reason: 'Completed' } };

const cells = (spec: object, podStatus: object, metadata: object = {}): readonly unknown[] =>
  podPrinter
    .cells(
      {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'p', creationTimestamp: '2030-01-01T00:00:00Z', ...metadata },
        spec: { containers: [{ name: 'a' }], ...spec },
        status: podStatus,
      },
      NOW,
    )
    .slice(1, 5);

const inits = { initContainers: [{ name: 'i' }, { name: 'j' }] };
const sidecar = { initContainers: [{ name: 's', restartPolicy: 'Always' }] };

describe('a pod is printed', () => {
  it.each([
    { as: 'Pending', row: cells({}, { phase: 'Pending' }), want: ['0/1', 'Pending', '0', '60m'] },
    {
      as: 'Running',
      row: cells({}, { phase: 'Running', containerStatuses: [status('a', running, { ready: true })] }),
      want: ['1/1', 'Running', '0', '60m'],
    },
    {
      as: 'restarted',
      row: cells(
        {},
        {
          phase: 'Running',
          containerStatuses: [
            status('a', running, {
              ready: true,
              restartCount: 2,
              lastState: { terminated: { exitCode: 1, finishedAt: '2030-01-01T00:55:00Z' } },
            }),
          ],
        },
      ),
      want: ['1/1', 'Running', '2 (5m ago)', '60m'],
    },
    { as: 'its reason', row: cells({}, { phase: 'Failed', reason: 'Evicted' }), want: ['0/1', 'Evicted', '0', '60m'] },
    {
      as: 'Completed',
      row: cells({}, { phase: 'Succeeded', containerStatuses: [status('a', done)] }),
      want: ['0/1', 'Completed', '0', '60m'],
    },
    {
      as: 'a signal',
      row: cells(
        {},
        { phase: 'Failed', containerStatuses: [status('a', { terminated: { exitCode: 137, signal: 9 } })] },
      ),
      want: ['0/1', 'Signal:9', '0', '60m'],
    },
    {
      as: 'an init that runs',
      row: cells(inits, { phase: 'Pending', initContainerStatuses: [status('i', done), status('j', running)] }),
      want: ['0/1', 'Init:1/2', '0', '60m'],
    },
    {
      as: 'an init that waits',
      row: cells(inits, {
        phase: 'Pending',
        initContainerStatuses: [
          status('i', { waiting: { reason: 'CrashLoopBackOff' } }, { restartCount: 4 }),
          status('j', { waiting: {} }),
        ],
      }),
      want: ['0/1', 'Init:CrashLoopBackOff', '4', '60m'],
    },
    {
      as: 'an init that failed',
      row: cells(inits, { phase: 'Failed', initContainerStatuses: [status('i', { terminated: { exitCode: 3 } })] }),
      want: ['0/1', 'Init:ExitCode:3', '0', '60m'],
    },
    {
      as: 'ready with its sidecar',
      row: cells(sidecar, {
        phase: 'Running',
        initContainerStatuses: [status('s', running, { ready: true, started: true, restartCount: 1 })],
        containerStatuses: [status('a', running, { ready: true })],
      }),
      want: ['2/2', 'Running', '1', '60m'],
    },
    {
      as: 'not ready where one container is over',
      row: cells(
        { containers: [{ name: 'a' }, { name: 'b' }] },
        { phase: 'Running', containerStatuses: [status('a', done), status('b', running, { ready: true })] },
      ),
      want: ['1/2', 'NotReady', '0', '60m'],
    },
    {
      as: 'Terminating',
      row: cells({}, { phase: 'Running' }, { deletionTimestamp: '2030-01-01T01:00:00Z' }),
      want: ['0/1', 'Terminating', '0', '60m'],
    },
    {
      as: 'over, though deleted',
      row: cells({}, { phase: 'Succeeded' }, { deletionTimestamp: '2030-01-01T01:00:00Z' }),
      want: ['0/1', 'Succeeded', '0', '60m'],
    },
  ])('as $as', ({ row, want }) => {
    expect(row).toEqual(want);
  });
});
