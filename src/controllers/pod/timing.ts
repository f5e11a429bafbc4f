const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** How long one holder may work on a pod, in milliseconds. Above the worker's time-out. */
export const CLAIM_MS = 60 * SECOND;

/** No effect begins in the last part of a claim, so that none is still under way when another holder takes over. */
export const CLAIM_RESERVE_MS = 20 * SECOND;

/** How often a holder runs again for wakes that came meanwhile, before it passes the pod on through the queue. */
export const MAX_RENEWALS = 3;

/** A request signed by a holder that vanished is refused this long after its claim. */
export const SIGNATURE_LIFE_MS = 5 * MINUTE;

/**
 * An unanswered launch is sent again for so long after its first request: short enough that the look-up, which needs
 * LOOK_UP_AFTER_MS of silence, still falls before LOOK_UP_UNTIL_MS.
 */
export const RESEND_FOR_MS = 40 * MINUTE;
export const LOOK_UP_AFTER_MS = 10 * MINUTE;
/** The provider shows stopped workloads for at least an hour: later, not finding one proves nothing. */
export const LOOK_UP_UNTIL_MS = 55 * MINUTE;
/** How often an unanswered launch of a pod that is not wanted any more is looked up meanwhile. */
export const LOOK_UP_AGAIN_MS = MINUTE;

/** Two reads so far apart must both say that a pod is gone. */
export const ABSENCE_CHECK_MS = 10 * SECOND;
/** A younger workload is not stopped for a pod that seems to be gone. */
export const ABSENCE_MIN_AGE_MS = MINUTE;

/** A workload is gone after MISSING_READS answers over MISSING_FOR_MS, and never before MISSING_MIN_AGE_MS. */
export const MISSING_READS = 3;
export const MISSING_FOR_MS = 2 * MINUTE;
export const MISSING_MIN_AGE_MS = 5 * MINUTE;

/** Without news a workload is read again after so long: events may get lost. */
export const CHECK_STARTING_MS = MINUTE;
export const CHECK_RUNNING_MS = 5 * MINUTE;
export const CHECK_STOPPING_MS = 30 * SECOND;

/** Timers are started by beats, at multiples of this: what must be read again waits for one, to be read with others. */
export const BEAT_MS = 10 * SECOND;

/** A stop that shows no effect is asked for again. */
export const STOP_AGAIN_MS = MINUTE;

/** A pod older than this was seen before: without a row its workloads are looked for first. */
export const RECOVERY_AGE_MS = MINUTE;

/** kubelet shows ErrImagePull first and ImagePullBackOff from its next sync on. */
export const PULL_ERROR_SHOWN_MS = 5 * SECOND;

/** kubelet forgets its crash back-off after twice its longest wait. */
export const CRASH_RESET_MS = 10 * MINUTE;

/** What could not be had is tried again rarely: grants and settings change. */
export const REFUSAL_RECHECK_MS = 10 * MINUTE;

/** While the node is not adopted yet nothing is launched. */
export const ADOPTION_CHECK_MS = 30 * SECOND;

/** How long a node that has run out of capacity is left alone, and how many pods must be refused for that. */
export const OUT_OF_CAPACITY_MS = 5 * MINUTE;
export const OUT_OF_CAPACITY_PODS = 3;
