import { ignoreNotFound } from '../../../core/errors.ts';
import type { SharedSecret } from '../prepare/shared-secret.ts';
import { type EnsureDependencies, ensureResource } from './ensure-resource.ts';
import { throwIfGivenUp } from './give-up.ts';

/** Where secret values are kept for ECS to read. Both calls are repeatable. */
export interface SecretVault {
  /** Begins the keys of the rows that say what is kept here. */
  readonly prefix: string;
  put(secret: SharedSecret, signal: AbortSignal): Promise<void>;
  /** @throws {NotFoundError} where it is not there. */
  remove(path: string, signal: AbortSignal): Promise<void>;
}

const HOUR_MS = 3_600_000;
/** Rows are touched at most this often; the collector waits as much longer. */
const TOUCH_MS = 300_000;

/** Secret values in one vault, shared by all pods that name the same content. */
export class SharedSecrets {
  readonly #vault: SecretVault;
  readonly #deps: EnsureDependencies;

  constructor(vault: SecretVault, deps: EnsureDependencies) {
    this.#vault = vault;
    this.#deps = deps;
  }

  /** All of these exist and stay for an hour. One after the other: the services take few writes a second. */
  async ensure(secrets: readonly SharedSecret[], signal: AbortSignal): Promise<void> {
    for (const secret of distinct(secrets)) {
      const make = async (): Promise<string> => {
        await this.#vault.put(secret, signal);
        return secret.path;
      };
      await ensureResource(this.#deps, this.#vault.prefix + secret.path, { touchAfterMs: TOUCH_MS, make }, signal);
    }
  }

  /** Removes what no launch has used for an hour: ECS reads secrets only when a task starts. */
  async collect(signal: AbortSignal): Promise<void> {
    const { resources, clock } = this.#deps;
    const { prefix } = this.#vault;
    const before = clock.now() - HOUR_MS - TOUCH_MS;
    for await (const { key, usedAt } of resources.unused(prefix, before)) {
      throwIfGivenUp(signal);
      if (!(await resources.remove(key, before))) continue;
      const path = key.slice(prefix.length);
      try {
        await ignoreNotFound(this.#vault.remove(path, signal));
      } catch (error) {
        // Back on the list: the row went first, so that nobody could start to use it meanwhile.
        await resources.ready(key, { value: path, usedAt });
        throw error;
      }
    }
  }
}

const distinct = (secrets: readonly SharedSecret[]): readonly SharedSecret[] => [
  ...new Map(secrets.map((secret) => [secret.path, secret])).values(),
];
