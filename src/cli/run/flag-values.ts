import type { Variables } from '../../ports/provider-factory.ts';
import type { Parsed } from '../values/value.ts';
import type { Flag } from './flag.ts';

/** Texts given on the command line, by flag name, in their order. */
export type GivenFlags = Readonly<Record<string, readonly string[] | undefined>>;

/** The flags of one call, and what is wrong with them. */
export class FlagValues {
  readonly faults: string[] = [];
  readonly #flags: ReadonlyMap<string, Flag>;
  readonly #given: GivenFlags;
  readonly #environment: Variables;

  constructor(flags: readonly Flag[], given: GivenFlags, environment: Variables) {
    this.#flags = new Map(flags.map((flag) => [flag.name, flag]));
    this.#given = given;
    this.#environment = environment;
  }

  /** The text of a flag: the last one given, else that of its variable, else its default. */
  text(name: string): string | undefined {
    return this.#given[name]?.at(-1) ?? this.#variable(name) ?? this.#flag(name).initial;
  }

  /** Every text given for a repeatable flag. */
  texts(name: string): readonly string[] {
    return this.#given[name] ?? [];
  }

  /** True where the command line or a variable says it. */
  isGiven(name: string): boolean {
    return this.#given[name] !== undefined || this.#variable(name) !== undefined;
  }

  /** Its value by `parse`; undefined where it has none, or a fault, which is noted. */
  value<T>(name: string, parse: (text: string) => Parsed<T>): T | undefined {
    const text = this.text(name);
    return text === undefined ? undefined : this.check(this.#nameOf(name), parse(text));
  }

  /** As {@link value}, with `otherwise` in the place of a fault: the faults are reported before anybody uses it. */
  valueOr<T>(name: string, parse: (text: string) => Parsed<T>, otherwise: T): T {
    return this.value(name, parse) ?? otherwise;
  }

  /** Notes what is wrong with the thing called `name`. */
  check<T>(name: string, parsed: Parsed<T>): T | undefined {
    if (parsed.ok) return parsed.value;
    this.faults.push(`${name} ${parsed.message}`);
    return undefined;
  }

  /** What the deprecated flags that were given tell their users. */
  warnings(): readonly string[] {
    return [...this.#flags.values()].flatMap(({ name, deprecated }) =>
      deprecated !== undefined && this.#given[name] !== undefined ? `--${name} is deprecated: ${deprecated}` : [],
    );
  }

  /** Where the value comes from, in the words of who gave it. */
  #nameOf(name: string): string {
    const byVariable = this.#given[name] === undefined && this.#variable(name) !== undefined;
    return byVariable ? `${this.#flag(name).variable} (--${name})` : `--${name}`;
  }

  /** One that is empty counts as not set: manifests often carry it so. */
  #variable(name: string): string | undefined {
    const { variable } = this.#flag(name);
    return (variable && this.#environment[variable]) || undefined;
  }

  #flag(name: string): Flag {
    const flag = this.#flags.get(name);
    if (flag === undefined) throw new Error(`there is no flag --${name}`);
    return flag;
  }
}
