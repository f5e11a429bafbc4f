import { describe, expect, it } from 'vitest';
import { logQuery } from '../../../../src/cli/plugin/log-query.ts';

describe('logQuery', () => {
  it.each([
    { range: {}, query: '' },
    { range: { tail: '-1' }, query: '' },
    { range: { tail: '0' }, query: 'tailLines=0' },
    { range: { tail: '20', previous: true }, query: 'previous=true&tailLines=20' },
    { range: { since: '1h1m' }, query: 'sinceSeconds=3660' },
    { range: { since: '1500ms' }, query: 'sinceSeconds=2' },
    { range: { since: '100ms' }, query: 'sinceSeconds=1' },
    { range: { since: '0' }, query: '' },
    { range: { sinceTime: '2026-01-02T03:04:05Z' }, query: 'sinceTime=2026-01-02T03%3A04%3A05Z' },
  ])('asks for $range as kubectl does', ({ range, query }) => {
    expect(String(logQuery({ previous: false, ...range }))).toBe(query);
  });

  it.each([
    { range: { tail: '-2' }, message: 'logs: --tail must be a number of lines, or -1 for all of them, not "-2"' },
    { range: { tail: 'all' }, message: 'not "all"' },
    { range: { since: '5' }, message: 'logs: --since must be a duration such as 1m30s' },
    { range: { since: '-5s' }, message: 'not "-5s"' },
    {
      range: { since: '5s', sinceTime: '2026-01-02T03:04:05Z' },
      message: 'logs: give only one of --since and --since-time',
    },
  ])('refuses $range', ({ range, message }) => {
    expect(() => logQuery({ previous: false, ...range })).toThrow(message);
  });
});
