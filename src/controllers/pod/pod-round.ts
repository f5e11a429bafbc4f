import { delaySecondsAfter, spread } from '../../core/backoff.ts';
import {
  ConflictError,
  ignoreNotFound,
  NotFoundError,
  PermanentError,
  SvkError,
  ThrottledError,
} from '../../core/errors.ts';
import type { PodRow, PodState } from '../../model/pod-row.ts';
import { execute } from './act/execute.ts';
import { mayRun } from './attempts.ts';
import { type Expectation, isSettled } from './expectation.ts';
import { ClaimLostError, type HeldClaim } from './held-claim.ts';
import { lookAgain } from './look-again.ts';
import { stateOf, viewOf, withReading } from './observe.ts';
import { planPodSync } from './plan/plan-pod-sync.ts';
import type { PodAction } from './pod-action.ts';
import type { PodDependencies } from './pod-dependencies.ts';
import { type Describe, PodSync } from './pod-sync.ts';
import { type PodReading, readingOf } from './pod-view.ts';
import { CLAIM_MS } from './timing.ts';

/** More steps than any history needs: a plan without end is a bug and must not hold the pod for ever. */
const MAX_STEPS = 60;
/** Between the two reads that make a deletion, seen coming, certain. */
const CONFIRM_MS = 200;
/** How often a pod that others are changing is read again before the next message may try. */
const MAX_CONFLICTS = 3;
const ERROR_CURVE = { initialSeconds: 10, maxSeconds: 300 };
/** What the webhook has told us of shows some 50 ms later: a reason to read again at once. */
const REREADS_MS = [50, 100, 200, 400];

interface RoundOptions {
  /** The claim ends with this round, whoever has woken the pod. */
  readonly isLast: boolean;
  /** The pod itself need not be read. */
  readonly isQuiet: boolean;
  readonly describe?: Describe;
  /** What the wake has seen coming. */
  readonly expects?: Expectation | undefined;
}

/**
 * One pass over a claimed pod, from a fresh read to the release. Answers the row where somebody has woken the pod
 * meanwhile. Failures of outside systems end the pass with a later check on the row.
 * @throws {ClaimLostError} where somebody else has the pod. Everything else thrown is a bug.
 */
export const runRound = async (
  dependencies: PodDependencies,
  claim: HeldClaim,
  row: PodRow,
  { isLast, isQuiet, describe, expects }: RoundOptions,
): Promise<PodRow | undefined> => {
  const { clock } = dependencies;
  let sync: PodSync | undefined;
  let end: PodEnd;
  try {
    const reading = isQuiet ? UNREAD : await readPod(dependencies, claim, row, expects);
    if (expects && !isSettled(reading, expects)) await lookAgain(dependencies, row.pod, claim.signal);
    sync = new PodSync(claim, dependencies, viewOf(row, reading, clock.now()), describe);
    end = await work(sync, row);
  } catch (error) {
    // Whatever an aborted request throws: there is no time left to do anything about it.
    if (!(error instanceof SvkError) && claim.signal.aborted)
      throw new ClaimLostError('the work was cut short', { cause: error });
    if (!(error instanceof SvkError)) throw error;
    const state = sync?.state ?? row.state;
    const errors = (state.errors ?? 0) + 1;
    report(dependencies, row, error, errors);
    end = {
      kind: 'wait',
      until: clock.now() + retryMs(error, errors, dependencies.random.next()),
      state: { ...withoutReread(state), errors },
    };
  }
  const renewUntil = clock.now() + (isLast ? 0 : CLAIM_MS);
  if (end.kind === 'forget') return claim.forget(renewUntil);
  const { state, until } = end;
  const pod = sync?.view.pod;
  const resourceVersion = pod && 'pod' in pod ? pod.pod.metadata?.resourceVersion : undefined;
  return claim.release(
    {
      state: { ...state, handled: row.wanted, ...(isLast && { passedOnUntil: renewUntil }) },
      ...(resourceVersion !== undefined && { resourceVersion }),
      ...(until !== undefined && { nextCheckAt: until }),
    },
    renewUntil,
  );
};

const UNREAD: PodReading = { kind: 'unread' };

type PodEnd =
  | { readonly kind: 'forget' }
  | { readonly kind: 'wait'; readonly until: number | undefined; readonly state: PodState };

/** Plans and acts until the plan says to wait. */
const work = async (sync: PodSync, row: PodRow): Promise<PodEnd> => {
  let conflicts = 0;
  for (let steps = 0; steps < MAX_STEPS; steps += 1) {
    for (const action of planPodSync(sync.view)) {
      if (action.kind === 'forget') return action;
      if (action.kind === 'wait') {
        const { errors: _errors, ...state } = withoutReread(sync.state);
        const { until, rereadOnly } = action;
        return { kind: 'wait', until, state: { ...state, ...(rereadOnly && { rereadOnly }) } };
      }
      try {
        await execute(sync, action);
      } catch (error) {
        conflicts += 1;
        if (!isAboutPod(error, action) || conflicts > MAX_CONFLICTS) throw error;
        await readAgain(sync, row);
        break;
      }
    }
  }
  sync.dependencies.logger.error('the plan of a pod has no end', { pod: row.pod });
  return { kind: 'wait', until: sync.now + ERROR_CURVE.maxSeconds * 1_000, state: withoutReread(sync.state) };
};

/** Whatever the next check is for now. */
const withoutReread = ({ rereadOnly: _rereadOnly, ...state }: PodState): PodState => state;

/** The pod has moved on, or is gone, since it was read: read it again and decide anew. */
const isAboutPod = (error: unknown, { kind }: PodAction): boolean =>
  kind === 'push-status' && (error instanceof ConflictError || error instanceof NotFoundError);

const readAgain = async (sync: PodSync, row: PodRow): Promise<void> => {
  const reading = await readPod(sync.dependencies, sync.claim, row);
  sync.know({ pod: reading, state: withReading(sync.state, reading, sync.now) });
};

const readPod = async (
  { kubernetes, deletions, clock }: PodDependencies,
  { signal }: HeldClaim,
  row: PodRow,
  expects?: Expectation,
): Promise<PodReading> => {
  const { pod, node } = row;
  if (deletions?.isDeleted(pod.uid)) return { kind: 'absent', certain: true };
  const read = async (): Promise<PodReading> =>
    readingOf(await ignoreNotFound(kubernetes.pods.get(pod.namespace, pod.name, signal)), pod, node);
  let reading = await read();
  for (const ms of REREADS_MS) {
    if (isSettled(reading, expects)) break;
    await clock.sleep(ms, signal);
    reading = await read();
  }
  if (expects !== 'deleted' || reading.kind !== 'absent' || !mayRun(stateOf(row, clock.now()))) return reading;
  // The API server has said itself that it deletes the pod: two reads that agree need not lie far apart then.
  await clock.sleep(CONFIRM_MS, signal);
  const again = await read();
  return again.kind === 'absent' ? { kind: 'absent', certain: true } : again;
};

/** Spread, for what one failed with all pods failed with. */
const retryMs = (error: SvkError, errors: number, chance: number): number => {
  const advised = error instanceof ThrottledError ? (error.retryAfterMs ?? 0) : 0;
  return Math.max(spread(delaySecondsAfter(ERROR_CURVE, errors) * 1_000, chance), advised);
};

const report = ({ logger }: PodDependencies, { pod }: PodRow, error: SvkError, errors: number): void => {
  const log = error instanceof PermanentError ? logger.error.bind(logger) : logger.warn.bind(logger);
  log('pod not reconciled; it is tried again', { pod, error, errors });
};
