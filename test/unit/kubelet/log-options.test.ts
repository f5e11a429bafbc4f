import { describe, expect, it } from 'vitest';
import { parseLogOptions } from '../../../src/kubelet/log-options.ts';

const NOW = Date.parse('2030-01-01T00:00:30Z');
const parse = (query: string): unknown => parseLogOptions(new URLSearchParams(query), NOW);
const DEFAULTS = { follow: false, previous: false, timestamps: false };

describe('log options', () => {
  it.each([
    { want: 'everything from the start by default', query: '', options: {} },
    {
      want: 'booleans in all of Go’s forms',
      query: 'follow=T&previous=1&timestamps=TRUE',
      options: { follow: true, previous: true, timestamps: true },
    },
    { want: 'the false forms as well', query: 'follow=F&previous=0&timestamps=False', options: {} },
    { want: 'no lines at all for tailLines=0', query: 'tailLines=0', options: { tailLines: 0 } },
    { want: 'a sign as ParseInt allows it', query: 'tailLines=%2B5', options: { tailLines: 5 } },
    { want: 'kubelet’s old name of tailLines', query: 'tail=7&tailLines=1', options: { tailLines: 7 } },
    { want: 'all lines for tail=all', query: 'tail=all&tailLines=1', options: {} },
    { want: 'a byte limit', query: 'limitBytes=10', options: { limitBytes: 10 } },
    { want: 'seconds as a time', query: 'sinceSeconds=20', options: { sinceTime: '2030-01-01T00:00:10.000Z' } },
    {
      want: 'no time before the epoch',
      query: 'sinceSeconds=9223372036854775807',
      options: { sinceTime: '1970-01-01T00:00:00.000Z' },
    },
    {
      want: 'a time as it is',
      query: 'sinceTime=2029-12-31T23:59:59Z',
      options: { sinceTime: '2029-12-31T23:59:59Z' },
    },
    {
      want: 'a time in UTC, to the nanosecond',
      query: 'sinceTime=2030-01-01T02:00:00.123456789%2B02:00',
      options: { sinceTime: '2030-01-01T00:00:00.123456789Z' },
    },
    {
      want: 'fractions without idle zeros',
      query: 'sinceTime=2030-01-01T00:00:00.100Z',
      options: { sinceTime: '2030-01-01T00:00:00.1Z' },
    },
    {
      want: 'an empty value as none',
      query: 'tailLines=&follow=&sinceTime=&limitBytes=&sinceSeconds=&previous=&timestamps=&tail=',
      options: {},
    },
    { want: 'unknown parameters ignored', query: 'stream=All&container=x', options: {} },
    { want: 'the first of equal names', query: 'tailLines=1&tailLines=2', options: { tailLines: 1 } },
  ])('reads $want', ({ query, options }) => {
    expect(parse(query)).toEqual({ ok: true, options: { ...DEFAULTS, ...options } });
  });

  it.each([
    { query: 'follow=yes', problem: 'follow: Invalid value: "yes": must be true or false' },
    { query: 'previous=2', problem: 'previous: Invalid value: "2": must be true or false' },
    { query: 'timestamps=tRUE', problem: 'timestamps: Invalid value: "tRUE": must be true or false' },
    { query: 'tailLines=-1', problem: 'tailLines: Invalid value: "-1": must be greater than or equal to 0' },
    { query: 'tailLines=all', problem: 'tailLines: Invalid value: "all": must be an integer' },
    { query: 'tail=-1', problem: 'tail: Invalid value: "-1": must be greater than or equal to 0' },
    { query: 'tailLines=1.5', problem: 'tailLines: Invalid value: "1.5": must be an integer' },
    {
      query: 'tailLines=9223372036854775808',
      problem: 'tailLines: Invalid value: "9223372036854775808": must be a 64-bit integer',
    },
    { query: 'limitBytes=0', problem: 'limitBytes: Invalid value: "0": must be greater than 0' },
    { query: 'limitBytes=0x10', problem: 'limitBytes: Invalid value: "0x10": must be an integer' },
    { query: 'sinceSeconds=0', problem: 'sinceSeconds: Invalid value: "0": must be greater than 0' },
    {
      query: 'sinceTime=yesterday',
      problem: 'sinceTime: Invalid value: "yesterday": must be a time in RFC 3339 format, such as 2006-01-02T15:04:05Z',
    },
    {
      query: 'sinceTime=2030-02-30T00:00:00Z',
      problem:
        'sinceTime: Invalid value: "2030-02-30T00:00:00Z": must be a time in RFC 3339 format, such as 2006-01-02T15:04:05Z',
    },
    {
      query: 'sinceTime=2030-01-01T00:00:00',
      problem:
        'sinceTime: Invalid value: "2030-01-01T00:00:00": must be a time in RFC 3339 format, such as 2006-01-02T15:04:05Z',
    },
    {
      query: 'sinceSeconds=5&sinceTime=2030-01-01T00:00:00Z',
      problem: 'Forbidden: at most one of `sinceTime` or `sinceSeconds` may be specified',
    },
  ])('refuses $query', ({ query, problem }) => {
    expect(parse(query)).toEqual({ ok: false, problems: [problem] });
  });

  it('reports every fault at once', () => {
    expect(parse('follow=maybe&tailLines=-1&limitBytes=x')).toEqual({
      ok: false,
      problems: [
        'tailLines: Invalid value: "-1": must be greater than or equal to 0',
        'limitBytes: Invalid value: "x": must be an integer',
        'follow: Invalid value: "maybe": must be true or false',
      ],
    });
  });
});
