import type { Outage, Weather } from './weather.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** What the troubles that befall the world as a whole do to it. */
export interface World {
  loseTable(): void;
  /** True: our credentials lead to another cluster. */
  swapCluster(isSwapped: boolean): void;
}

/** Outages, a lost table, another cluster: each a few times in the world's first minutes. */
export class Troubles {
  readonly #weather: Weather;
  readonly #world: World;
  readonly #withinMs: number;
  #overAtMs = 0;
  /** So many losses wait for a launch. */
  #tableLosses = 0;

  constructor(weather: Weather, world: World, withinMs: number) {
    this.#weather = weather;
    this.#world = world;
    this.#withinMs = withinMs;
  }

  /** Begins all there is to come. Answers how many milliseconds it will last at most. */
  begin(): number {
    const { chance, profile } = this.#weather;
    for (let index = 0; index < profile.outages; index += 1) {
      const system = chance.pick(`outage ${index}`, ['kubernetes', 'provider', 'podStore', 'queue'] as const);
      this.#outage(`${system} down`, system, 25 * MINUTE);
    }
    if (profile.downtime) this.#outage('we are down', 'us', 180 * MINUTE);
    if (profile.swap) {
      this.#between('cluster swapped', 20 * MINUTE, (isOn) => this.#world.swapCluster(isOn));
    }
    for (let index = 0; index < profile.tableLosses; index += 1) {
      // Mostly at the worst moment: while a launch is under way.
      if (chance.draw('table loss waits for a launch') < 0.7) this.#tableLosses += 1;
      else this.#loseTable(chance.amount('table loss', 0, this.#withinMs));
    }
    return this.#overAtMs;
  }

  /** A launch is under way. */
  launching(): void {
    const { chance } = this.#weather;
    if (this.#tableLosses === 0 || chance.draw('table loss at launch') < 0.5) return;
    this.#tableLosses -= 1;
    this.#loseTable(chance.amount('table loss after launch', 0, 2 * SECOND));
  }

  #loseTable(afterMs: number): void {
    this.#weather.after(afterMs, () => {
      if (this.#weather.profile.tableLosses > 0 && this.#weather.chance.happens('table lost', 'table'))
        this.#world.loseTable();
    });
  }

  #outage(kind: string, system: Outage, mostMs: number): void {
    this.#between(kind, mostMs, (isOn) => {
      if (isOn) this.#weather.down.add(system);
      else this.#weather.down.delete(system);
    });
  }

  /** Short ones are as likely as long ones. */
  #between(kind: string, mostMs: number, turn: (isOn: boolean) => void): void {
    const { chance, after, log } = this.#weather;
    const from = chance.amount(`from ${kind}`, 0, this.#withinMs);
    const lasts = Math.floor(10 * SECOND * (mostMs / (10 * SECOND)) ** chance.draw(`lasts ${kind}`));
    if (!chance.happens(kind, 'world')) return;
    this.#overAtMs = Math.max(this.#overAtMs, from + lasts);
    after(from, () => {
      log(`${kind} for ${Math.floor(lasts / SECOND)} s`);
      turn(true);
    });
    after(from + lasts, () => {
      log(`${kind} no more`);
      turn(false);
    });
  }
}
