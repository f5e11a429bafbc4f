import type { Random } from '../../src/core/clock.ts';

/** One conversation: frames in their order. */
export type Conversation = readonly Buffer[];

export interface Mutated {
  readonly frames: Conversation;
  /** How many frames are not what they were, or not where they were. */
  readonly count: number;
}

/** A conversation with one to four faults in it: bytes changed, cut or added, lengths blown up, frames lost or doubled. */
export const mutate = (conversation: Conversation, others: readonly Conversation[], random: Random): Mutated => {
  const frames = [...conversation];
  const touched = new Set<Buffer>();
  const faults = 1 + below(random, 4);
  for (let fault = 0; fault < faults && frames.length > 0; fault += 1) {
    const at = below(random, frames.length);
    const frame = frames[at] ?? EMPTY;
    const kind = KINDS[below(random, KINDS.length)] ?? 'flip';
    const changed = FAULTS[kind](frame, { random, others });
    frames.splice(at, 1, ...changed);
    for (const own of changed) touched.add(own);
    if (changed.length === 0) touched.add(frame);
  }
  return { frames, count: touched.size };
};

/** The bytes of `frames` in pieces as a network may deliver them. */
export const inPieces = (frames: Conversation, random: Random): readonly Buffer[] => {
  const bytes = Buffer.concat(frames);
  // Some a few bytes each, but no more than a hundred or two.
  const longest = Math.max([3, 40, 500, 70_000][below(random, 4)] ?? 500, bytes.length / 64);
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const piece = bytes.subarray(at, at + 1 + below(random, longest));
    pieces.push(piece);
    at += piece.length;
  }
  return pieces;
};

const below = (random: Random, limit: number): number => Math.floor(random.next() * limit);

interface FaultContext {
  readonly random: Random;
  readonly others: readonly Conversation[];
}

const EMPTY = Buffer.alloc(0);

const noise = (random: Random, length: number): Buffer => Buffer.from(Array.from({ length }, () => below(random, 256)));

/** Most fields that matter lie within the first bytes. */
const placeIn = (frame: Buffer, random: Random): number =>
  below(random, random.next() < 0.6 ? Math.min(frame.length, 16) : frame.length);

const FAULTS = {
  flip: (frame, { random }) => {
    const copy = Buffer.from(frame);
    const at = placeIn(copy, random);
    if (copy.length > 0) copy[at] = (copy[at] ?? 0) ^ (1 << below(random, 8));
    return [copy];
  },
  set: (frame, { random }) => {
    const copy = Buffer.from(frame);
    if (copy.length > 0) copy[placeIn(copy, random)] = [0, 1, 0x7f, 0x80, 0xfe, 0xff][below(random, 6)] ?? 0;
    return [copy];
  },
  blowUp: (frame, { random }) => {
    const copy = Buffer.from(frame);
    const at = placeIn(copy, random);
    copy.subarray(at, at + 1 + below(random, 8)).fill(0xff);
    return [copy];
  },
  cut: (frame, { random }) => [Buffer.from(frame.subarray(0, below(random, frame.length + 1)))],
  insert: (frame, { random }) => {
    const at = placeIn(frame, random);
    return [Buffer.concat([frame.subarray(0, at), noise(random, 1 + below(random, 9)), frame.subarray(at)])];
  },
  remove: (frame, { random }) => {
    const at = placeIn(frame, random);
    return [Buffer.concat([frame.subarray(0, at), frame.subarray(at + 1 + below(random, 4))])];
  },
  lose: () => [],
  double: (frame) => [frame, Buffer.from(frame)],
  flood: (frame, { random }) => Array.from({ length: 2 + below(random, 30) }, () => Buffer.from(frame)),
  foreign: (frame, { random, others }) => {
    const other = others[below(random, others.length)] ?? [];
    return [Buffer.from(other[below(random, other.length)] ?? EMPTY), frame];
  },
  noise: (frame, { random }) => [noise(random, 1 + below(random, 64)), frame],
} satisfies Record<string, (frame: Buffer, context: FaultContext) => readonly Buffer[]>;

const KINDS = Object.keys(FAULTS) as readonly (keyof typeof FAULTS)[];
