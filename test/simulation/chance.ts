import { SeededRandom } from '../fakes/clock.ts';

/** Everything that befalls a world by chance has such a name: what kind it is, to what, and for the how manieth time. */
export type Mishap = `${string}: ${string} #${number}`;

/**
 * The chance of one world. Every question has a stream of its own, named by what is asked about: taking one mishap out of
 * a world leaves the answers to all the other questions as they were, so that a failing world can be made smaller.
 */
export class Chance {
  /** What has befallen the world so far, in order. */
  readonly mishaps: Mishap[] = [];
  readonly #seed: number;
  readonly #only: ReadonlySet<string> | undefined;
  readonly #streams = new Map<string, SeededRandom>();
  readonly #counts = new Map<string, number>();

  /** `only`: no other mishaps happen. */
  constructor(seed: number, only?: ReadonlySet<string>) {
    this.#seed = Math.imul(seed, 0x9e37_79b1);
    this.#only = only;
  }

  /** A number in [0, 1), for this question. */
  draw(question: string): number {
    return this.stream(question).next();
  }

  /** A whole number of `least` or more and less than `most`. */
  amount(question: string, least: number, most: number): number {
    return Math.floor(least + this.draw(question) * (most - least));
  }

  pick<T>(question: string, choices: readonly [T, ...T[]]): T {
    return choices[this.amount(question, 0, choices.length)] ?? choices[0];
  }

  /** Does it happen? A mishap is counted under its `kind`. */
  befalls(kind: string, question: string, probability: number): boolean {
    if (probability <= 0 || this.draw(`${kind} ${question}`) >= probability) return false;
    return this.happens(kind, question);
  }

  /** It happens, where the world has it. */
  happens(kind: string, question: string): boolean {
    const key = `${kind}: ${question}`;
    const count = (this.#counts.get(key) ?? 0) + 1;
    this.#counts.set(key, count);
    const mishap: Mishap = `${kind}: ${question} #${count}`;
    if (this.#only && !this.#only.has(mishap)) return false;
    this.mishaps.push(mishap);
    return true;
  }

  stream(question: string): SeededRandom {
    const known = this.#streams.get(question);
    if (known) return known;
    const made = new SeededRandom(this.#seed ^ hashOf(question));
    // The first number of neighbouring states is not random enough.
    made.next();
    this.#streams.set(question, made);
    return made;
  }
}

/** FNV-1a, 32 bits. */
const hashOf = (text: string): number => {
  let hash = 0x811c_9dc5;
  for (let index = 0; index < text.length; index += 1) hash = Math.imul(hash ^ text.charCodeAt(index), 0x0100_0193);
  return hash;
};
