/**
 * - `pass`: as it must be. `warn`: it works, but somebody will be sorry. `fail`: it does not work, or soon will not.
 * - `unknown`: the question itself could not be asked. `skip`: there was nothing to ask, or it needs another answer first.
 */
export type FindingStatus = 'pass' | 'warn' | 'fail' | 'unknown' | 'skip';

/** What one check found. Nothing in it tells a secret. */
export interface Finding {
  readonly status: FindingStatus;
  readonly message: string;
  /** What to do about it; with every finding that is not `pass` or `skip`. */
  readonly fix?: string;
}

/** A finding with the check that made it, as it is printed. */
export interface Reported extends Finding {
  readonly check: string;
}

export const pass = (message: string): Finding => ({ status: 'pass', message });
export const warn = (message: string, fix: string): Finding => ({ status: 'warn', message, fix });
export const fail = (message: string, fix: string): Finding => ({ status: 'fail', message, fix });
export const skip = (message: string): Finding => ({ status: 'skip', message });
