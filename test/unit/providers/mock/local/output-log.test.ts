import { describe, expect, it } from 'vitest';
import type { LogQuery } from '../../../../../src/model/log-query.ts';
import { OutputLog } from '../../../../../src/providers/mock/local/output-log.ts';

const AT = Date.parse('2030-01-01T00:00:00Z');

const textOf = async (log: OutputLog, query: Partial<LogQuery> = {}): Promise<string> => {
  const chunks: Uint8Array[] = [];
  const whole = { workloadId: 'w', container: 'c', follow: false, timestamps: false, ...query };
  for await (const chunk of log.read(whole, new AbortController().signal)) chunks.push(chunk);
  return Buffer.concat(chunks).toString('latin1');
};

const logOf = (...pieces: readonly (readonly [text: string, at: number])[]): OutputLog => {
  const log = new OutputLog();
  for (const [text, at] of pieces) log.append('stdout', Buffer.from(text, 'latin1'), AT + at);
  return log;
};

describe('the log of a local process', () => {
  it.each([
    { want: 'all', query: {}, text: 'one\ntwo\nthree\nfo' },
    { want: 'the last lines, an open one too', query: { tailLines: 2 }, text: 'three\nfo' },
    { want: 'no lines', query: { tailLines: 0 }, text: '' },
    { want: 'no more than there are', query: { tailLines: 9 }, text: 'one\ntwo\nthree\nfo' },
    { want: 'what is not older', query: { sinceTime: '2030-01-01T00:00:02Z' }, text: 'three\nfo' },
    { want: 'the tail of what is not older', query: { sinceTime: '2030-01-01T00:00:01Z', tailLines: 1 }, text: 'fo' },
    {
      want: 'a time for each line',
      query: { timestamps: true, tailLines: 2 },
      text: '2030-01-01T00:00:02.500000000Z three\n2030-01-01T00:00:03.000000000Z fo',
    },
  ])('reads $want', async ({ query, text }) => {
    const log = logOf(['one\ntw', 0], ['o\n', 1_000], ['three\n', 2_500], ['fo', 3_000]);
    expect(await textOf(log, query)).toBe(text);
  });

  it('G-12 keeps bytes and lines that come in pieces as they are', async () => {
    const log = logOf(['\xff\x00\n', 0], ...Array.from('x'.repeat(300)).map((one) => [one, 1] as const), ['\n', 2]);
    expect(await textOf(log)).toBe(`\xff\x00\n${'x'.repeat(300)}\n`);
    expect(await textOf(log, { tailLines: 1 })).toBe(`${'x'.repeat(300)}\n`);
  });

  it('G-01 follows to the end', async () => {
    const log = logOf(['one\n', 0]);
    const followed = textOf(log, { follow: true });
    await Promise.resolve();
    log.append('stdout', Buffer.from('two\n'), AT);
    log.append('stderr', Buffer.from('three\n'), AT);
    log.end();
    expect(await followed).toBe('one\ntwo\nthree\n');
  });

  it('lets a follower go that has enough', async () => {
    const left = new AbortController();
    const query = { workloadId: 'w', container: 'c', follow: true, timestamps: false };
    const next = logOf().read(query, left.signal).next();
    left.abort();
    expect(await next).toEqual({ done: true, value: undefined });
  });

  it('forgets the oldest lines where there are too many', async () => {
    const log = new OutputLog(10);
    for (const line of ['aaaa\n', 'bbbb\n', 'cccc\n']) log.append('stdout', Buffer.from(line), AT);
    expect(await textOf(log)).toBe('bbbb\ncccc\n');
  });
});
