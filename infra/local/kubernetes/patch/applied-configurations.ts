import type { JsonObject, KubernetesObject } from '../model/object.ts';

const MAX_REMEMBERED = 10_000;

/**
 * What each field manager applied last, by the object's UID. The real server keeps this in managedFields; ours needs
 * it only to take away what a manager no longer mentions, so it stays out of the objects.
 */
export class AppliedConfigurations {
  readonly #remembered = new Map<string, JsonObject>();

  /** The configuration `manager` last applied to this object. */
  last(object: KubernetesObject, manager: string): JsonObject | undefined {
    return this.#remembered.get(keyOf(object, manager));
  }

  /** The oldest are forgotten beyond 10,000: their next apply removes nothing. */
  remember(object: KubernetesObject, manager: string, configuration: JsonObject): void {
    const key = keyOf(object, manager);
    this.#remembered.delete(key);
    this.#remembered.set(key, configuration);
    const oldest = this.#remembered.keys().next().value;
    if (this.#remembered.size > MAX_REMEMBERED && oldest !== undefined) this.#remembered.delete(oldest);
  }
}

const keyOf = ({ metadata }: KubernetesObject, manager: string): string => `${metadata.uid ?? ''}/${manager}`;
