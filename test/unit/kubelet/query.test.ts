import { describe, expect, it } from 'vitest';
import { readQuery } from '../../../src/kubelet/query.ts';

const argumentsIn = (raw: string): readonly string[] => readQuery(raw).query.getAll('command');

describe('the query of a request', () => {
  it.each([
    { raw: 'command=a%20b&command=c+d&command=', arguments: ['a b', 'c d', ''] },
    { raw: 'command=%C3%A9%F0%9F%98%80', arguments: ['\u00e9\u{1f600}'] },
    { raw: 'command=%EF%BF%BD', arguments: ['\ufffd'] },
    { raw: 'command=100%', arguments: ['100%'] },
  ])('X-02 reads $raw as it was meant', ({ raw, arguments: expected }) => {
    expect(argumentsIn(raw)).toEqual(expected);
    expect(readQuery(raw).garbled).toBeUndefined();
  });

  it.each(['command=%ff', 'command=a&command=caf%E9', 'command=%C3', 'command=%ed%a0%80'])(
    'tells that %s is no UTF-8',
    (raw) => {
      expect(readQuery(raw).garbled).toBe(true);
    },
  );
});
