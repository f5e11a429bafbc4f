import { frozenJson } from '../frozen-json.ts';

/** Sees every call of a store by name; what it throws is the call's rejection, how long it waits is the call's stall. */
export type StoreHook<Store> = (method: keyof Store, args: readonly unknown[]) => void | Promise<void>;

/** A store that calls back around every call, so that tests can break it there. */
export abstract class Hooked<Store> {
  /** Runs before a method touches anything: throw or stall here. */
  before: StoreHook<Store> | undefined;
  /** Runs after a method has done its work and before it answers: throw here to lose an answer. */
  after: StoreHook<Store> | undefined;

  protected async call<T>(method: keyof Store, args: readonly unknown[], work: () => Promise<T>): Promise<T> {
    await this.before?.(method, args);
    const answer = frozenJson(await work());
    await this.after?.(method, args);
    return answer;
  }
}
