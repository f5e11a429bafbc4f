import type { Finding } from './finding.ts';
import type { World } from './world.ts';

/** One thing that must be right. Its reads go through the world; what it makes of them is a pure function beside it. */
export interface Check {
  /** As `--only` names it. */
  readonly name: string;
  /** @throws {SvkError} where the question could not be asked; {@link MissingFact} where another check says why. */
  run(world: World, signal: AbortSignal): Promise<readonly Finding[]>;
}

/** A check needs what another one has found to be missing. */
export class MissingFact extends Error {
  override readonly name = 'MissingFact';
  /** The check that tells more. */
  readonly check: string;

  constructor(check: string, options?: ErrorOptions) {
    super(`see check "${check}"`, options);
    this.check = check;
  }
}
