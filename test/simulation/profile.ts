import type { Chance } from './chance.ts';

/** How rough a world is. Every number without a unit is a probability per chance. */
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
  /** The clocks of two invocations differ by up to so much. */
  readonly skewMs: number;
  /** The table is lost so many times. */
  readonly tableLosses: number;
  /** Our credentials lead to another cluster for a while. */
  readonly swap: boolean;
  /** Systems are down for a while, one after the other. */
  readonly outages: number;
  /** We are not there at all for up to three hours. */
  readonly downtime: boolean;
  /** Others use up the account's rate limits. */
  readonly busyAccount: boolean;
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
  skewMs: 0,
  tableLosses: 0,
  swap: false,
  outages: 0,
  downtime: false,
  busyAccount: false,
};

const TROUBLE: readonly Partial<Profile>[] = [
  { latencyMs: 600 },
  { latencyMs: 100, errors: 0.03, launchFaults: 0.3 },
  { latencyMs: 100, stalls: 0.03, skewMs: 5_000 },
  { deaths: 0.02, launchFaults: 0.3 },
  { lostNotifications: 0.4, duplicates: 0.3, lostAdmissions: 0.5 },
  { latencyMs: 200, misfortunes: 0.4, hidden: 0.5 },
  { tableLosses: 3, deaths: 0.01, lostNotifications: 0.2, launchFaults: 0.6 },
  { launchFaults: 0.7, falseAbsence: 0.005 },
  { latencyMs: 100, outages: 3, skewMs: 5_000 },
  { downtime: true, lostNotifications: 0.2, deaths: 0.005 },
  { swap: true, outages: 1, deaths: 0.005 },
  { busyAccount: true, launchFaults: 0.1, latencyMs: 100 },
];
/** So many kinds of worlds have all of it. */
const EVERYTHING = 4;

/** Some worlds have one kind of trouble, some all of it, some none: what breaks in a narrow one is easy to understand. */
export const profileOf = (seed: number, chance: Chance): Profile => {
  const trouble = TROUBLE[seed % (TROUBLE.length + EVERYTHING)];
  if (trouble) return { ...CALM, ...trouble };
  const has = (what: string, probability: number): boolean => chance.draw(`profile ${what}`) < probability;
  return {
    latencyMs: has('latency', 0.5) ? 200 : 0,
    errors: 0.01,
    stalls: 0.01,
    deaths: 0.01,
    lostNotifications: 0.2,
    duplicates: 0.1,
    lostAdmissions: 0.2,
    launchFaults: 0.2,
    misfortunes: 0.2,
    hidden: 0.2,
    falseAbsence: has('false absence', 0.5) ? 0.005 : 0,
    skewMs: has('skew', 0.5) ? 5_000 : 0,
    tableLosses: has('table loss', 0.3) ? 1 : 0,
    swap: has('swap', 0.2),
    outages: has('outages', 0.5) ? 2 : 0,
    downtime: has('downtime', 0.1),
    busyAccount: has('busy account', 0.2),
  };
};
