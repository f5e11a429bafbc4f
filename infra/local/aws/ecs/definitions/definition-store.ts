import { lastOf } from '../arn.ts';
import type { TaskDefinition } from './definition.ts';

/** Families and their revisions. A revision number is never given twice, not even after a deletion. */
export class DefinitionStore {
  readonly #byArn = new Map<string, TaskDefinition>();
  readonly #lastRevision = new Map<string, number>();

  nextRevision(family: string): number {
    const revision = (this.#lastRevision.get(family) ?? 0) + 1;
    this.#lastRevision.set(family, revision);
    return revision;
  }

  put(definition: TaskDefinition): void {
    this.#byArn.set(definition.arn, definition);
  }

  remove(arn: string): void {
    this.#byArn.delete(arn);
  }

  /** By ARN, `family:revision`, or `family` for its newest ACTIVE revision. */
  find(name: string): TaskDefinition | undefined {
    const short = lastOf(name);
    if (!short.includes(':')) {
      return this.all()
        .filter(({ family, status }) => family === short && status === 'ACTIVE')
        .at(-1);
    }
    const found = this.all().find(({ family, revision }) => `${family}:${revision}` === short);
    return name.startsWith('arn:') && found?.arn !== name ? undefined : found;
  }

  /** Oldest revisions of a family first, families in the order of their names. */
  all(): readonly TaskDefinition[] {
    return [...this.#byArn.values()].sort((a, b) =>
      a.family === b.family ? a.revision - b.revision : a.family < b.family ? -1 : 1,
    );
  }
}
