/** What `svk` is called with; what it says to people is kept. */
export interface RecordedLine {
  readonly out: () => undefined;
  readonly err: (text: string) => void;
  readonly environment: Readonly<Record<string, string>>;
  readonly home: string;
  readonly log: () => string;
}

/** @param home the folder of the user */
export const recordedLine = (home: string, environment: Readonly<Record<string, string>>): RecordedLine => {
  let log = '';
  return {
    out: () => undefined,
    err: (text) => {
      log += text;
    },
    environment,
    home,
    log: () => log,
  };
};
