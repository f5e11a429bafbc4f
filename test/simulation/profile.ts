import type { Random } from '../../src/core/clock.ts';

/** How rough a world is. Every number is a probability per chance. */
export interface Profile {
  /** Every call takes up to so many milliseconds, twice: until it has its effect, and until it is answered. */
  readonly latencyMs: number;
  /** A call fails before, or after, it had its effect. */
  readonly errors: number;
  /** A call takes long: from a second to beyond the claim. */
  readonly stalls: number;
  /** A process dies at a call. */
  readonly deaths: number;
  readonly lostNotifications: number;
  readonly duplicates: number;
  readonly lostAdmissions: number;
  /** A launch is refused, or goes unanswered with and without effect. */
  readonly launchFaults: number;
  /** A workload fails to start, or is taken away. */
  readonly misfortunes: number;
  /** A new workload cannot be seen for a while. */
  readonly hidden: number;
  /** A read says that a pod is not there, and it is. */
  readonly falseAbsence: number;
  /** The table is lost once. */
  readonly tableLoss: boolean;
}

/** Nothing goes wrong. */
export const CALM: Profile = {
  latencyMs: 0,
  errors: 0,
  stalls: 0,
  deaths: 0,
  lostNotifications: 0,
  duplicates: 0,
  lostAdmissions: 0,
  launchFaults: 0,
  misfortunes: 0,
  hidden: 0,
  falseAbsence: 0,
  tableLoss: false,
};

/** Some worlds have one kind of trouble, some all of it, some none: what breaks in a narrow one is easy to understand. */
export const profileOf = (seed: number, random: Random): Profile => {
  const kind = seed % 10;
  const trouble: readonly Partial<Profile>[] = [
    { latencyMs: 600 },
    { latencyMs: 100, errors: 0.03, launchFaults: 0.3 },
    { latencyMs: 100, stalls: 0.03 },
    { deaths: 0.02, launchFaults: 0.3 },
    { lostNotifications: 0.4, duplicates: 0.3, lostAdmissions: 0.5 },
    { latencyMs: 200, misfortunes: 0.4, hidden: 0.5 },
    { tableLoss: true, deaths: 0.01, lostNotifications: 0.2 },
    { launchFaults: 0.7, falseAbsence: 0.005 },
  ];
  return kind < trouble.length
    ? { ...CALM, ...trouble[kind] }
    : {
        latencyMs: random.next() < 0.5 ? 200 : 0,
        errors: 0.01,
        stalls: 0.01,
        deaths: 0.01,
        lostNotifications: 0.2,
        duplicates: 0.1,
        lostAdmissions: 0.2,
        launchFaults: 0.2,
        misfortunes: 0.2,
        hidden: 0.2,
        falseAbsence: random.next() < 0.5 ? 0.005 : 0,
        tableLoss: random.next() < 0.3,
      };
};
