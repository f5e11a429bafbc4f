import { describe, expect, it } from 'vitest';
import { LogLines } from '../../../../src/cli/plugin/log-lines.ts';

const texts = (lines: LogLines, log: string): readonly string[] => lines.newOf(log).map(({ text }) => text);

describe('a log that is asked for again from its last line on', () => {
  it('shows each line once', () => {
    const lines = new LogLines();
    expect(lines.since).toBeUndefined();
    expect(texts(lines, '2030-01-01T00:00:01Z a\n2030-01-01T00:00:02Z b\n')).toEqual(['a', 'b']);
    expect(lines.since).toBe('2030-01-01T00:00:02Z');
    expect(texts(lines, '2030-01-01T00:00:02Z b\n')).toEqual([]);
    expect(texts(lines, '2030-01-01T00:00:02Z b\n2030-01-01T00:00:03Z c\n')).toEqual(['c']);
  });

  it('keeps equal lines of one moment apart by their number', () => {
    const lines = new LogLines();
    const line = '2030-01-01T00:00:01Z x\n';
    expect(texts(lines, line)).toEqual(['x']);
    expect(texts(lines, line + line + line)).toEqual(['x', 'x']);
    expect(texts(lines, line + line + line)).toEqual([]);
  });

  it('shows lines of the last moment that come late, and empty ones', () => {
    const lines = new LogLines();
    expect(texts(lines, '2030-01-01T00:00:01Z a\n')).toEqual(['a']);
    expect(texts(lines, '2030-01-01T00:00:01Z a\n2030-01-01T00:00:01Z b\n2030-01-01T00:00:01Z \n')).toEqual(['b', '']);
    expect(texts(lines, '')).toEqual([]);
  });
});
