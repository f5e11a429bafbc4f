import { ignoreNotFound } from '../../../core/errors.ts';
import { translated } from '../aws/errors.ts';
import type { ParametersApi } from '../aws/parameters-api.ts';
import type { SecretParameter } from '../prepare/secret-parameter.ts';
import { type EnsureDependencies, ensureResource } from './ensure-resource.ts';
import { throwIfGivenUp } from './give-up.ts';

const PREFIX = 'SECRET#';
const HOUR_MS = 3_600_000;
/** Rows are touched at most this often; the collector waits as much longer. */
const TOUCH_MS = 300_000;
const STANDARD_TIER_BYTES = 4096;

/** Secret values as SSM SecureStrings, shared by all pods that name the same Secret, key and content. */
export class SecretParameters {
  readonly #parameters: ParametersApi;
  readonly #deps: EnsureDependencies;

  constructor(parameters: ParametersApi, deps: EnsureDependencies) {
    this.#parameters = parameters;
    this.#deps = deps;
  }

  /** All of these exist and stay for an hour. One after the other: SSM takes few writes a second. */
  async ensure(parameters: readonly SecretParameter[], signal: AbortSignal): Promise<void> {
    for (const { path, value } of distinct(parameters)) {
      const make = async (): Promise<string> => {
        await translated('SSM PutParameter', () => this.#put(path, value, signal), { secret: true });
        return path;
      };
      await ensureResource(this.#deps, PREFIX + path, { touchAfterMs: TOUCH_MS, make }, signal);
    }
  }

  /** Deletes what no launch has used for an hour: ECS reads parameters only when a task starts. */
  async collect(signal: AbortSignal): Promise<void> {
    const { resources, clock } = this.#deps;
    const before = clock.now() - HOUR_MS - TOUCH_MS;
    for await (const { key, usedAt } of resources.unused(PREFIX, before)) {
      throwIfGivenUp(signal);
      if (!(await resources.remove(key, before))) continue;
      const path = key.slice(PREFIX.length);
      try {
        await ignoreNotFound(
          translated('SSM DeleteParameter', () => this.#parameters.deleteParameter({ Name: path }, signal)),
        );
      } catch (error) {
        // Back on the list: the row went first, so that nobody could start to use it meanwhile.
        await resources.ready(key, { value: path, usedAt });
        throw error;
      }
    }
  }

  #put(path: string, value: string, signal: AbortSignal): Promise<unknown> {
    const tier = Buffer.byteLength(value) > STANDARD_TIER_BYTES ? 'Advanced' : 'Standard';
    return this.#parameters.putParameter(
      { Name: path, Value: value, Type: 'SecureString', Tier: tier, Overwrite: true },
      signal,
    );
  }
}

const distinct = (parameters: readonly SecretParameter[]): readonly SecretParameter[] => [
  ...new Map(parameters.map((parameter) => [parameter.path, parameter])).values(),
];
