import { describe, expect, it } from 'vitest';
import { type EventRule, inputFor, matchesPattern } from '../../../../infra/local/cloud/event-rules.ts';

describe('matchesPattern', () => {
  const event = {
    source: 'aws.ecs',
    detail: { lastStatus: 'RUNNING', desiredStatus: 'STOPPED', startedBy: 'svk/ab/1' },
  };

  it.each([
    { what: 'a literal', pattern: { source: ['aws.ecs'] }, want: true },
    { what: 'one of several literals', pattern: { detail: { lastStatus: ['STOPPED', 'RUNNING'] } }, want: true },
    { what: 'another literal', pattern: { detail: { lastStatus: ['PENDING'] } }, want: false },
    { what: 'a prefix', pattern: { detail: { startedBy: [{ prefix: 'svk/ab/' }] } }, want: true },
    { what: 'another prefix', pattern: { detail: { startedBy: [{ prefix: 'svk/cd/' }] } }, want: false },
    { what: 'anything but', pattern: { detail: { lastStatus: [{ 'anything-but': ['PENDING'] }] } }, want: true },
    { what: 'a member that is not there', pattern: { detail: { group: ['x'] } }, want: false },
    { what: 'the absence of a member', pattern: { detail: { group: [{ exists: false }] } }, want: true },
    {
      what: 'either of two',
      pattern: { detail: { $or: [{ lastStatus: ['PENDING'] }, { desiredStatus: ['STOPPED'] }] } },
      want: true,
    },
    { what: 'an operator it does not know', pattern: { source: [{ wildcard: 'aws.*' }] }, want: false },
  ])('answers $want for $what', ({ pattern, want }) => {
    expect(matchesPattern(pattern, event)).toBe(want);
  });
});

describe('inputFor', () => {
  const rule = (template: string): EventRule => ({
    pattern: {},
    targetArn: 'arn:aws:sqs:eu-west-1:000000000000:pods',
    transformer: {
      paths: { arn: '$.detail.taskArn', list: '$.detail.containers', gone: '$.detail.stoppedAt' },
      template,
    },
  });
  const event = { detail: { taskArn: 'arn:task', containers: [{ name: 'main' }] } };

  it('passes the event as it is without a transformer', () => {
    expect(inputFor({ pattern: {}, targetArn: 'x' }, event)).toBe(
      '{"detail":{"taskArn":"arn:task","containers":[{"name":"main"}]}}',
    );
  });

  it.each([
    { what: 'a string', template: '{"a":<arn>}', want: '{"a":"arn:task"}' },
    { what: 'a string in quotes', template: '{"a":"<arn>"}', want: '{"a":"arn:task"}' },
    { what: 'a list', template: '{"a":<list>}', want: '{"a":[{"name":"main"}]}' },
    { what: 'a missing value in quotes', template: '{"a":"<gone>"}', want: '{"a":""}' },
    { what: 'a missing value without quotes (not JSON any more)', template: '{"a":<gone>}', want: '{"a":}' },
  ])('puts in $what', ({ template, want }) => {
    expect(inputFor(rule(template), event)).toBe(want);
  });
});
