import type { Clock } from '../../../../src/core/clock.ts';

export interface LogEvent {
  /** Milliseconds since the epoch. */
  readonly timestamp: number;
  readonly message: string;
}

export interface StoredEvent extends LogEvent {
  /** Grows with ingestion: equal timestamps keep that order within a stream. */
  readonly sequence: number;
  /** A read sees it from then on. */
  readonly ingestionTime: number;
}

export interface LogStream {
  readonly name: string;
  readonly createdAt: number;
  /** By timestamp, then sequence. */
  readonly events: StoredEvent[];
}

export interface LogGroup {
  readonly name: string;
  readonly createdAt: number;
  readonly retentionInDays?: number;
  readonly streams: Map<string, LogStream>;
}

/** Log groups, streams and their events, in memory. */
export class LogStore {
  readonly #clock: Clock;
  readonly #groups = new Map<string, LogGroup>();
  #sequence = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  hasGroup(name: string): boolean {
    return this.#groups.has(name);
  }

  /** By name or ARN. */
  group(name: string): LogGroup | undefined {
    return this.#groups.get(name.replace(/^arn:.*?:log-group:/, '').replace(/:\*$/, ''));
  }

  groups(): readonly LogGroup[] {
    return [...this.#groups.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  ensureGroup(name: string): LogGroup {
    const group = this.#groups.get(name) ?? {
      name,
      createdAt: this.#clock.now(),
      streams: new Map<string, LogStream>(),
    };
    this.#groups.set(name, group);
    return group;
  }

  putGroup(group: LogGroup): void {
    this.#groups.set(group.name, group);
  }

  removeGroup(name: string): void {
    this.#groups.delete(name);
  }

  ensureStream(groupName: string, name: string): LogStream {
    const { streams } = this.ensureGroup(groupName);
    const stream = streams.get(name) ?? { name, createdAt: this.#clock.now(), events: [] };
    streams.set(name, stream);
    return stream;
  }

  /** Adds events in the order of their timestamps; they can be read from `ingestionTime` on. */
  append(groupName: string, streamName: string, events: readonly LogEvent[], ingestionTime: number): void {
    const stream = this.ensureStream(groupName, streamName);
    for (const event of events) {
      this.#sequence += 1;
      const stored = { ...event, sequence: this.#sequence, ingestionTime };
      let place = stream.events.length;
      while (place > 0 && (stream.events[place - 1]?.timestamp ?? 0) > event.timestamp) place -= 1;
      stream.events.splice(place, 0, stored);
    }
  }

  /** What a read sees now, in order. */
  visible(stream: LogStream): readonly StoredEvent[] {
    const now = this.#clock.now();
    return stream.events.filter(({ ingestionTime }) => ingestionTime <= now);
  }
}
