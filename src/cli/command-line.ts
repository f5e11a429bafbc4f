import type { Variables } from '../ports/provider-factory.ts';

/** What a command is given of the machine it runs on. */
export interface CommandLine {
  /** Standard output and standard error, texts with their line ends. */
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  readonly environment: Variables;
  /** The user's folder. */
  readonly home: string;
}
