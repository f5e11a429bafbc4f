import type { Note, Problem } from '../../../model/problem.ts';

/** Gathers everything that keeps a pod from running here, and everything that runs differently. */
export class Findings {
  readonly problems: Problem[] = [];
  readonly notes: Note[] = [];

  /** The pod cannot run. `message`: what is wrong and how to mend it, in one sentence. */
  refuse(field: string, message: string): void {
    this.problems.push({ field, message });
  }

  /** The pod runs, but not as on a kubelet. */
  note(field: string, message: string): void {
    this.notes.push({ field, message });
  }
}

/** A rule about one field: where it applies, the pod is refused or noted under `field`. */
export interface FieldRule<T> {
  readonly field: string;
  readonly verdict: 'refuse' | 'note';
  readonly applies: (value: T) => boolean;
  readonly message: string;
}

/** Applies a table of rules to `value`, whose fields are reported below `path`. */
export const applyRules = <T>(rules: readonly FieldRule<T>[], value: T, path: string, findings: Findings): void => {
  for (const { field, verdict, applies, message } of rules) {
    if (applies(value)) findings[verdict](`${path}.${field}`, message);
  }
};

/** Notes every field of `value` that is not in `known`: newer API servers may send what this version cannot know. */
export const noteUnknownFields = (
  value: object,
  known: ReadonlySet<string>,
  path: string,
  findings: Findings,
): void => {
  for (const [field, content] of Object.entries(value)) {
    if (content !== undefined && content !== null && !known.has(field))
      findings.note(`${path}.${field}`, 'is not known to this version and has no effect');
  }
};
