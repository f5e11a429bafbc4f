/** Parts a log that is asked for again and again, from the last time on, into lines that were not shown yet. */
export class LogLines {
  #since: string | undefined;
  /** Lines of the last moment that were shown, and how often each. */
  #shown = new Map<string, number>();

  /** Where to go on; undefined: nothing has come. RFC 3339. */
  get since(): string | undefined {
    return this.#since;
  }

  /** `log` has a time before each line. Answers the lines that are new, with their times. */
  newOf(log: string): readonly { readonly time: string; readonly text: string }[] {
    const before = new Map(this.#shown);
    const fresh: { readonly time: string; readonly text: string }[] = [];
    for (const line of log.split('\n')) {
      const space = line.indexOf(' ');
      if (space < 0) continue;
      const time = line.slice(0, space);
      const seen = before.get(line) ?? 0;
      if (seen > 0) {
        before.set(line, seen - 1);
        continue;
      }
      if (time !== this.#since) this.#shown = new Map();
      this.#since = time;
      this.#shown.set(line, (this.#shown.get(line) ?? 0) + 1);
      fresh.push({ time, text: line.slice(space + 1) });
    }
    return fresh;
  }
}
