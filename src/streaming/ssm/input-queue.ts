interface Piece {
  readonly payloadType: number;
  readonly payload: Uint8Array;
}

/** Input that waits beyond the window before its sender has to wait. */
const MOST_WAITING_BYTES = 64 * 1024;
/** What may be kept for a second sending, typed before it was known whether there is a handshake. */
const MOST_KEPT_BYTES = 64 * 1024;

/**
 * Input on its way to the window of unacknowledged messages. It stays here until the agent has a terminal to give it to:
 * what comes during a handshake is acknowledged and thrown away. Input that was let go early, because no handshake
 * seemed to come, is kept and sent once more should one come after all.
 */
export class InputQueue {
  readonly #transmit: (payloadType: number, payload: Uint8Array) => number;
  #waiting: Piece[] = [];
  #waitingBytes = 0;
  #state: 'unsure' | 'held' | 'guessed' | 'open' | 'over' = 'unsure';
  #kept: Piece[] = [];
  #keptBytes = 0;
  readonly #underWay = new Set<number>();
  readonly #forRoom: (() => void)[] = [];
  readonly #forEmpty: (() => void)[] = [];

  /** `transmit` answers the sequence number it gave. */
  constructor(transmit: (payloadType: number, payload: Uint8Array) => number) {
    this.#transmit = transmit;
  }

  /** True once it is certain that input will reach the command. */
  get isOpen(): boolean {
    return this.#state === 'open';
  }

  add(payloadType: number, payload: Uint8Array): void {
    if (this.#state === 'over') return;
    this.#waiting.push({ payloadType, payload });
    this.#waitingBytes += payload.length;
  }

  /** Resolves when no more than a little waits. */
  async roomy(): Promise<void> {
    if (this.#waitingBytes > MOST_WAITING_BYTES) await new Promise<void>((resolve) => this.#forRoom.push(resolve));
  }

  /** Resolves when nothing waits and all was acknowledged. */
  async empty(): Promise<void> {
    if (this.#waiting.length + this.#underWay.size > 0)
      await new Promise<void>((resolve) => this.#forEmpty.push(resolve));
  }

  /** A handshake is under way. */
  hold(): void {
    if (this.#state === 'over') return;
    if (this.#state === 'guessed') {
      this.#waiting = [...this.#kept, ...this.#waiting];
      this.#waitingBytes += this.#keptBytes;
      this.#underWay.clear();
    }
    this.#forget();
    this.#state = 'held';
  }

  /** The agent reads input. */
  open(): void {
    if (this.#state === 'over' || this.#state === 'open') return;
    this.#state = 'open';
    this.#forget();
  }

  /** No handshake came: input may go, but is kept. */
  openUnlessHeld(): void {
    if (this.#state === 'unsure') this.#state = 'guessed';
  }

  /** Lets as many messages go as there is room for. */
  pump(room: number): void {
    if (this.#state !== 'open' && this.#state !== 'guessed') return;
    let sent = 0;
    for (const piece of this.#waiting.slice(0, room)) {
      if (this.#state === 'guessed' && !this.#keep(piece)) break;
      sent += 1;
      this.#waitingBytes -= piece.payload.length;
      this.#underWay.add(this.#transmit(piece.payloadType, piece.payload));
    }
    if (sent > 0) this.#waiting.splice(0, sent);
    if (this.#waitingBytes <= MOST_WAITING_BYTES) release(this.#forRoom.splice(0));
  }

  /** A message was acknowledged. */
  acknowledged(sequenceNumber: number): void {
    this.#underWay.delete(sequenceNumber);
    if (this.#waiting.length + this.#underWay.size === 0) release(this.#forEmpty.splice(0));
  }

  /** Nothing goes any more: nobody is to wait. */
  abandon(): void {
    this.#state = 'over';
    this.#waiting = [];
    this.#waitingBytes = 0;
    this.#underWay.clear();
    this.#forget();
    release([...this.#forRoom.splice(0), ...this.#forEmpty.splice(0)]);
  }

  #keep(piece: Piece): boolean {
    if (this.#keptBytes + piece.payload.length > MOST_KEPT_BYTES) return false;
    this.#kept.push(piece);
    this.#keptBytes += piece.payload.length;
    return true;
  }

  #forget(): void {
    this.#kept = [];
    this.#keptBytes = 0;
  }
}

const release = (waiting: readonly (() => void)[]): void => {
  for (const resolve of waiting) resolve();
};
