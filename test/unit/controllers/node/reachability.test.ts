import { expect, it } from 'vitest';
import { planReachability } from '../../../../src/controllers/node/reachability.ts';
import type { NodeRow } from '../../../../src/ports/node-store.ts';

const NOW = Date.parse('2030-01-01T01:00:00Z');
const ago = (seconds: number): number => NOW - seconds * 1_000;

it.each<{ want: string; answered: boolean; row?: NodeRow; wasReachable?: boolean; verdict: object }>([
  {
    want: 'a first answer is remembered',
    answered: true,
    verdict: { reachable: 'True', ready: true, remember: { reachableAt: NOW } },
  },
  {
    want: 'a further answer costs no write',
    answered: true,
    row: { reachableAt: ago(3_600) },
    verdict: { reachable: 'True', ready: true },
  },
  {
    want: 'an answer after silence is remembered',
    answered: true,
    row: { reachableAt: ago(3_600), unreachableSince: ago(600) },
    verdict: { reachable: 'True', ready: true, remember: { reachableAt: NOW } },
  },
  {
    want: 'the first silence changes nothing but is remembered',
    answered: false,
    row: { reachableAt: ago(3_600) },
    verdict: { reachable: 'True', ready: true, unreachableSince: NOW, remember: { unreachableSince: NOW } },
  },
  {
    want: 'an older silence that ended does not count',
    answered: false,
    row: { reachableAt: ago(60), unreachableSince: ago(900) },
    verdict: { reachable: 'True', ready: true, unreachableSince: NOW, remember: { unreachableSince: NOW } },
  },
  {
    want: 'half a minute of silence changes nothing',
    answered: false,
    row: { reachableAt: ago(90), unreachableSince: ago(30) },
    verdict: { reachable: 'True', ready: true, unreachableSince: ago(30) },
  },
  {
    want: 'a minute of silence, with the jitter of the schedule, is said',
    answered: false,
    row: { reachableAt: ago(120), unreachableSince: ago(59) },
    verdict: { reachable: 'False', ready: true, unreachableSince: ago(59) },
  },
  {
    want: 'four minutes of silence leave the node Ready',
    answered: false,
    row: { reachableAt: ago(600), unreachableSince: ago(240) },
    verdict: { reachable: 'False', ready: true, unreachableSince: ago(240) },
  },
  {
    want: 'five minutes of silence do not',
    answered: false,
    row: { reachableAt: ago(600), unreachableSince: ago(299) },
    verdict: { reachable: 'False', ready: false, unreachableSince: ago(299) },
  },
  {
    want: 'a provider that has never answered makes no node Ready',
    answered: false,
    verdict: { reachable: 'Unknown', ready: false, unreachableSince: NOW, remember: { unreachableSince: NOW } },
  },
  {
    want: 'a lost row is made good by what the node says',
    answered: false,
    wasReachable: true,
    verdict: { reachable: 'True', ready: true, unreachableSince: NOW, remember: { unreachableSince: NOW } },
  },
])('$want', ({ answered, row, wasReachable = false, verdict }) => {
  expect(planReachability({ answered, row, wasReachable, now: NOW })).toEqual(verdict);
});
