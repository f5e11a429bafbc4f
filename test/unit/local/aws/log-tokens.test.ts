import { expect, it } from 'vitest';
import { comparePlaces, readToken, writeToken } from '../../../../infra/local/aws/logs/log-tokens.ts';

it('writes tokens as the service does and reads them back', () => {
  const token = {
    direction: 'f',
    place: { timestamp: 1_893_456_000_000, sequence: 12 },
    empties: 1,
    issuedAt: 5,
  } as const;
  expect(writeToken(token)).toBe('f/001893456000000000000000000012000001000000000000005/s');
  expect(readToken(writeToken(token))).toEqual(token);
  expect(readToken('f/12/s')).toBeUndefined();
});

it('orders places by time, then by ingestion', () => {
  const places = [
    { timestamp: 2, sequence: 1 },
    { timestamp: 1, sequence: 3 },
    { timestamp: 1, sequence: 2 },
  ];
  expect(places.toSorted(comparePlaces).map(({ sequence }) => sequence)).toEqual([2, 3, 1]);
});
