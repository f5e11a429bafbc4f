import type { Clock, Random } from '../../../../src/core/clock.ts';
import type { FaultBoard } from '../faults/fault-board.ts';
import type { KeysContext } from '../keys/context.ts';
import type { Timers } from '../timers.ts';
import { ExecSession, type SessionOptions } from './exec-session.ts';

interface Options {
  readonly region: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly faults: FaultBoard;
  readonly timers: Timers;
  readonly keys: KeysContext;
}

/** What a client needs to connect. */
export interface SessionTicket {
  readonly sessionId: string;
  readonly streamUrl: string;
  readonly tokenValue: string;
}

interface Entry {
  readonly session: ExecSession;
  /** Good for one connection; undefined once it was used. */
  token: string | undefined;
}

/** An ended session stays for so long, for a client that comes to hear why. */
const keepEndedMs = 60_000;

/** The sessions of Session Manager's message gateway (`ssmmessages`), of which ECS ExecuteCommand makes one each. */
export class Sessions {
  readonly #options: Options;
  readonly #entries = new Map<string, Entry>();
  #url: string | undefined;

  constructor(options: Options) {
    this.#options = options;
  }

  /** From now on clients are told to connect there: `ws://HOST:PORT`. */
  serveAt(url: string): void {
    this.#url = url;
  }

  start(details: Pick<SessionOptions, 'command' | 'target' | 'openTerminal' | 'kmsKeyId'>): SessionTicket {
    const { clock, random, faults, timers, keys } = this.#options;
    const sessionId = `ecs-execute-command-${random.uuid().replaceAll('-', '').slice(0, 17)}`;
    const session = new ExecSession({ ...details, sessionId, clock, random, faults, timers, keys });
    const entry = { session, token: this.#newToken() };
    this.#entries.set(sessionId, entry);
    void session.ended.then(() => timers.after(keepEndedMs, () => void this.#entries.delete(sessionId)));
    return this.#ticket(sessionId, entry.token);
  }

  /** Is there such a session, ended lately or not? */
  has(sessionId: string): boolean {
    return this.#entries.has(sessionId);
  }

  /** The session to which this token opens the channel, once; undefined for a wrong or used one. */
  redeem(sessionId: string, token: string): ExecSession | undefined {
    const entry = this.#entries.get(sessionId);
    if (!entry || entry.token === undefined || entry.token !== token) return undefined;
    entry.token = undefined;
    return entry.session;
  }

  /** ssm:ResumeSession: a new token, which makes the earlier one worthless. Undefined where there is no such session. */
  resume(sessionId: string): SessionTicket | undefined {
    const entry = this.#entries.get(sessionId);
    if (!entry) return undefined;
    entry.token = this.#newToken();
    return this.#ticket(sessionId, entry.token);
  }

  /** ssm:TerminateSession; one that is over or unknown is left alone. */
  terminate(sessionId: string): void {
    this.#entries.get(sessionId)?.session.terminate();
  }

  /** Ends all sessions and their connections. */
  close(): void {
    for (const { session } of this.#entries.values()) {
      session.terminate();
      session.channel.drop();
    }
    this.#entries.clear();
  }

  #newToken(): string {
    const { random } = this.#options;
    return Buffer.from(`${random.uuid()}${random.uuid()}`).toString('base64');
  }

  #ticket(sessionId: string, tokenValue: string): SessionTicket {
    const base = this.#url ?? `wss://ssmmessages.${this.#options.region}.amazonaws.com`;
    return { sessionId, tokenValue, streamUrl: `${base}/v1/data-channel/${sessionId}?role=publish_subscribe` };
  }
}
