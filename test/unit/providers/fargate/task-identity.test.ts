import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { workloadOfEvent } from '../../../../src/providers/fargate/tasks/task-event.ts';
import { clientTokenOf, identityOf } from '../../../../src/providers/fargate/tasks/task-identity.ts';
import { ARN, workloadOf } from './observed-tasks.ts';

const CLUSTER = 'arn:aws:ecs:eu-west-1:123456789012:cluster/svk-dev';

describe('identity', () => {
  it('is read from startedBy and group', () => {
    expect(workloadOf({})).toMatchObject({ podUid: 'uid-1', attempt: 1, try: 2 });
  });

  it.each([
    ['svk/c1/uid-1', 'family:web'],
    ['ecs-svc/123', 'svk:1.1'],
    [undefined, undefined],
  ])('%s with group %s is a stranger', (startedBy, group) => {
    expect(identityOf(startedBy, group)).toBeUndefined();
    expect(workloadOf({ startedBy, group }).podUid).toBeUndefined();
  });

  it('gives every launch a token of its own within 64 printable characters', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, maxLength: 80 }), fc.nat(), fc.nat(), (podUid, attempt, tryNumber) => {
        const token = clientTokenOf({ podUid, attempt, try: tryNumber });
        expect(token).toMatch(/^[!-~]{1,64}$/);
        expect(clientTokenOf({ podUid, attempt: attempt + 1, try: tryNumber })).not.toBe(token);
        expect(clientTokenOf({ podUid, attempt, try: tryNumber + 1 })).not.toBe(token);
      }),
    );
  });

  it('shows uid, attempt and try where they fit', () => {
    expect(clientTokenOf({ podUid: '00000000-0000-4000-8000-000000000001', attempt: 12, try: 3 })).toBe(
      '00000000-0000-4000-8000-000000000001.12.3',
    );
  });
});

describe('events', () => {
  const detail = { taskArn: ARN, clusterArn: CLUSTER, startedBy: 'svk/c1/uid-1', group: 'svk:1.1', version: 3 };
  const event = { source: 'aws.ecs', 'detail-type': 'ECS Task State Change', detail };

  it('are read without knowing more than the cluster', () => {
    expect(workloadOfEvent(event, CLUSTER)).toMatchObject({ id: ARN, podUid: 'uid-1', version: 3 });
  });

  it.each([
    ['nothing', undefined],
    ['a text', 'event'],
    ['another source', { ...event, source: 'aws.health' }],
    ['another type', { ...event, 'detail-type': 'ECS Service Action' }],
    ['another cluster', { ...event, detail: { ...detail, clusterArn: `${CLUSTER}-2` } }],
    ['a stranger', { ...event, detail: { ...detail, startedBy: 'ecs-svc/1' } }],
    ['no task', { ...event, detail: { clusterArn: CLUSTER } }],
  ])('leave out %s', (_what, other) => {
    expect(workloadOfEvent(other, CLUSTER)).toBeUndefined();
  });
});
