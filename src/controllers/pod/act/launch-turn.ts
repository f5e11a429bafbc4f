import type { PodSync } from '../pod-sync.ts';

/**
 * Fargate starts 20 tasks a second in the long run (5 in newer regions, where every turn but the fourth is refused again):
 * 50 ms, and a little to spare for turns that come late.
 */
const TURN_MS = 52;
/** The queue's longest delay. Later turns are started by the timers, up to a beat late. */
const MAX_DELAY_SECONDS = 900;

/**
 * When a launch that came too fast may be tried again: launches take turns, so that the provider's rate is used up and not
 * overrun, and a pod asks twice instead of again and again. Undefined where there are no turns to be had.
 */
export const takeLaunchTurn = async ({ dependencies, view, now, signal }: PodSync): Promise<number | undefined> => {
  const { nodeStore, queue, logger } = dependencies;
  const { identity, node } = view;
  try {
    const turn = await nodeStore.takeTurn(node, { now, everyMs: TURN_MS });
    const delaySeconds = Math.ceil((turn - now) / 1_000);
    if (delaySeconds <= MAX_DELAY_SECONDS) {
      const message = { v: 1, kind: 'wake', reason: 'timer', ...identity, node } as const;
      await queue.send([{ message, delaySeconds }], signal);
    }
    return turn;
  } catch (error) {
    logger.warn('no turn for a launch that was throttled', { pod: identity, error });
    return undefined;
  }
};
