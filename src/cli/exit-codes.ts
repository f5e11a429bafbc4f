/** How `svk` ends, documented in docs/cli.md. */
export const EXIT = {
  success: 0,
  /** Something went wrong while it ran. */
  failure: 1,
  /** The command line is wrong: unknown flag or command, a value that cannot be. */
  usage: 2,
  /** The operator must mend something: a file, credentials, rights, the provider's configuration. */
  configuration: 3,
  /** Not ready within --startup-timeout. */
  startupTimeout: 4,
} as const;

/** The command line is wrong. The message says what and how to mend it. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
