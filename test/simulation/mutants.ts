/** A deliberate bug: what the source says, and what it says in the mutant. */
export interface Mutant {
  readonly name: string;
  readonly changes: readonly Change[];
}

export interface Change {
  /** The end of the file's path. */
  readonly file: string;
  /** Must be in the file exactly once. */
  readonly from: string;
  readonly to: string;
}

/** Bugs that the simulation must find: each is one somebody could make, and doubles, loses or leaks a task. */
export const MUTANTS: readonly Mutant[] = [
  {
    name: 'no UID precondition on DELETE',
    changes: [
      {
        file: 'test/fakes/kubernetes/fake-pods.ts',
        from: 'this.remove(pod, options.graceSeconds, pod.uid)',
        to: 'this.remove(pod, options.graceSeconds)',
      },
    ],
  },
  {
    name: 'try grows after a time-out',
    changes: [
      {
        file: 'src/controllers/pod/act/send.ts',
        from: 'state: withBackOff(sync.state, {',
        to: 'state: withBackOff(withAttempt(sync.state, { attempt: attempt.attempt, try: attempt.try + 1 }), {',
      },
    ],
  },
  {
    name: 'wanted ignored at release',
    changes: [
      {
        file: 'src/adapters/memory/pod-store.ts',
        from: 'if (row.wanted > row.seen) return this.#keep(withState(row, write), claimId, write.renewUntil);',
        to: '',
      },
    ],
  },
  {
    name: 'claim check before effects removed',
    changes: [
      {
        file: 'src/controllers/pod/held-claim.ts',
        from: 'if (this.#clock.now() >= this.#until - CLAIM_RESERVE_MS)',
        to: 'if (false)',
      },
    ],
  },
  {
    name: 'delete intent written after StopTask',
    changes: [
      {
        file: 'src/controllers/pod/plan/deletion.ts',
        from: 'durable: mayRun(state)',
        to: 'durable: false',
      },
    ],
  },
  {
    name: 'event version not compared',
    changes: [
      {
        file: 'src/adapters/memory/pod-row-changes.ts',
        from: 'if (known && known.version >= workload.version) return row;',
        to: '',
      },
      {
        file: 'src/controllers/pod/attempts.ts',
        from: 'known.observed === undefined || workload.version > known.observed.version',
        to: 'true',
      },
    ],
  },
  {
    name: 'MISSING believed at once',
    changes: [
      {
        file: 'src/controllers/pod/act/describe.ts',
        from: 'absence.reads >= MISSING_READS &&',
        to: 'true ||',
      },
    ],
  },
  {
    name: 'adoption skipped',
    changes: [
      {
        file: 'src/controllers/pod/adoption.ts',
        from: 'if (!metadata) continue;',
        to: 'if (!metadata || metadata) continue;',
      },
      {
        // Whoever works on a pod that is older than the table looks for its tasks, too: one of both is enough.
        file: 'src/controllers/pod/plan/recovery.ts',
        from: ' || predatesTable(pod, nodeRow)',
        to: '',
      },
    ],
  },
  {
    name: 'status of a terminal pod overwritten',
    changes: [
      {
        file: 'src/controllers/pod/plan/report.ts',
        from: 'terminalPhase(view) ? undefined : statusPatch(',
        to: 'statusPatch(',
      },
    ],
  },
  {
    name: 'row removed while a token is unknown',
    changes: [
      {
        file: 'src/controllers/pod/plan/absence.ts',
        from: "mayRun(state) ? [wait(view, undefined)] : [{ kind: 'forget' }]",
        to: "[{ kind: 'forget' }]",
      },
    ],
  },
];

/** @throws where there is none of that name. */
export const mutantNamed = (name: string): Mutant => {
  const mutant = MUTANTS.find((one) => one.name === name);
  if (!mutant) throw new Error(`there is no mutant "${name}": one of ${MUTANTS.map((one) => one.name).join(', ')}`);
  return mutant;
};
