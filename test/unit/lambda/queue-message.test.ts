import { describe, expect, it } from 'vitest';
import { parseMessage } from '../../../src/lambda/queue-message.ts';

const wake = { v: 1, kind: 'wake', reason: 'bind', uid: 'u1', namespace: 'default', name: 'web' };

describe('parseMessage', () => {
  it.each([
    ['a wake', wake],
    ['a wake that names the node', { ...wake, node: 'fargate' }],
  ])('reads %s', (_what, message) => {
    expect(parseMessage(JSON.stringify(message))).toEqual({ kind: 'wake', wake: message });
  });

  it('reads a beat', () => {
    expect(parseMessage('{"v":1,"kind":"beat","slot":1893456000000}')).toEqual({
      kind: 'beat',
      beat: { v: 1, kind: 'beat', slot: 1893456000000 },
    });
  });

  it('hands an EventBridge event on as it is', () => {
    const event = {
      source: 'aws.ecs',
      'detail-type': 'ECS Task State Change',
      detail: { taskArn: 'arn' },
      region: 'r',
    };
    expect(parseMessage(JSON.stringify(event))).toEqual({ kind: 'notification', notification: event });
  });

  it.each([
    ['no JSON', 'hello', [{ field: 'body', message: 'must be JSON' }]],
    ['an unknown kind', '{"v":1,"kind":"nap"}', [{ field: 'kind', message: 'is not as expected' }]],
    ['a newer version', JSON.stringify({ ...wake, v: 2 }), [{ field: 'v', message: 'must be 1' }]],
    [
      'a wake without a pod',
      '{"v":1,"kind":"wake","reason":"bind"}',
      [
        { field: 'uid', message: 'must be a string' },
        { field: 'namespace', message: 'must be a string' },
        { field: 'name', message: 'must be a string' },
      ],
    ],
    ['an empty uid', JSON.stringify({ ...wake, uid: '' }), [{ field: 'uid', message: 'must not be empty' }]],
    ['a beat without a slot', '{"v":1,"kind":"beat","slot":"now"}', [{ field: 'slot', message: 'must be a number' }]],
  ])('says what is wrong with %s', (_what, body, faults) => {
    expect(parseMessage(body)).toEqual({ kind: 'malformed', faults });
  });

  it.each(['null', '[]', '"text"', '1', '{}', '{"source":"aws.ecs"}'])('does not take %s for a message', (body) => {
    expect(parseMessage(body).kind).toBe('malformed');
  });
});
