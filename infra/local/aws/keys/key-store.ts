import { randomBytes } from 'node:crypto';
import type { Random } from '../../../../src/core/clock.ts';

/** A symmetric key of KMS. */
export interface Key {
  readonly id: string;
  readonly arn: string;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly isEnabled: boolean;
  /** 32 bytes that never leave the service. */
  readonly material: Buffer;
}

/** Keys by id, in memory. */
export class KeyStore {
  readonly #arnPrefix: string;
  readonly #random: Random;
  readonly #byId = new Map<string, Key>();

  constructor(region: string, accountId: string, random: Random) {
    this.#arnPrefix = `arn:aws:kms:${region}:${accountId}:key/`;
    this.#random = random;
  }

  /** A new key, enabled. */
  create(createdAt: number): Key {
    const id = this.#random.uuid();
    const key = { id, arn: this.arnOf(id), createdAt, isEnabled: true, material: randomBytes(32) };
    this.put(key);
    return key;
  }

  /** The ARN of what may be an ARN already. */
  arnOf(idOrArn: string): string {
    return idOrArn.startsWith('arn:') ? idOrArn : `${this.#arnPrefix}${idOrArn}`;
  }

  find(idOrArn: string): Key | undefined {
    const id = idOrArn.startsWith(this.#arnPrefix) ? idOrArn.slice(this.#arnPrefix.length) : idOrArn;
    return this.#byId.get(id);
  }

  put(key: Key): void {
    this.#byId.set(key.id, key);
  }
}
