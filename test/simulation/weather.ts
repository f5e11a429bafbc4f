import type { Clock } from '../../src/core/clock.ts';
import type { Chance } from './chance.ts';
import type { Profile } from './profile.ts';

/** Systems that can be down as a whole. `us`: nothing of ours runs. */
export type Outage = 'kubernetes' | 'provider' | 'podStore' | 'queue' | 'us';

/** What one call can be made to meet. */
export type Sabotage = 'error' | 'throttle' | 'stall' | 'death';

/** A call about to be made. */
export interface SetOut {
  /** `podStore.save` … */
  readonly call: string;
  readonly args: readonly unknown[];
  /** The claim under which its process works on a pod, by the pod's UID. */
  readonly claims: ReadonlyMap<string, string>;
}

/** What befalls processes at their calls; the simulation turns it off when the world is to come to rest. */
export interface Weather {
  profile: Profile;
  readonly down: Set<Outage>;
  readonly chance: Chance;
  readonly clock: Clock;
  readonly log: (line: string) => void;
  readonly after: (ms: number, act: () => void) => void;
  /** Somebody sets out to make this call. */
  readonly sets: (setOut: SetOut) => void;
  /** Asked at every boundary of a call, in order, by tests that break exactly one. */
  readonly sabotage: ((boundary: string) => Sabotage | undefined) | undefined;
}
