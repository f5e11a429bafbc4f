import type { Random } from '../../../../src/core/clock.ts';

/** One version of a secret; staging labels move between versions. */
export interface SecretVersion {
  readonly id: string;
  readonly value: { readonly text: string } | { readonly bytes: string };
  readonly stages: readonly string[];
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
}

export interface Secret {
  readonly arn: string;
  readonly name: string;
  readonly description?: string;
  readonly keyId?: string;
  readonly createdAt: number;
  readonly changedAt: number;
  /** Set while it waits for its removal. */
  readonly deletedAt?: number;
  readonly tags: readonly { readonly Key: string; readonly Value: string }[];
  readonly versions: readonly SecretVersion[];
}

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** Secrets by name, in memory. */
export class SecretStore {
  readonly #arnPrefix: string;
  readonly #random: Random;
  readonly #byName = new Map<string, Secret>();

  constructor(region: string, accountId: string, random: Random) {
    this.#arnPrefix = `arn:aws:secretsmanager:${region}:${accountId}:secret:`;
    this.#random = random;
  }

  /** The ARN of a new secret: six characters of chance tell it from an earlier one of the same name. */
  newArn(name: string): string {
    const suffix = Array.from({ length: 6 }, () => letters.charAt(Math.floor(this.#random.next() * letters.length)));
    return `${this.#arnPrefix}${name}-${suffix.join('')}`;
  }

  /** By name, ARN, or an ARN without its last six characters. */
  find(id: string): Secret | undefined {
    if (!id.startsWith('arn:')) return this.#byName.get(id);
    return this.all().find(({ arn, name }) => arn === id || `${this.#arnPrefix}${name}` === id);
  }

  put(secret: Secret): void {
    this.#byName.set(secret.name, secret);
  }

  remove(name: string): void {
    this.#byName.delete(name);
  }

  all(): readonly Secret[] {
    return [...this.#byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }
}

/** The version of that id, or the one that carries the label (`AWSCURRENT`). */
export const versionOf = (secret: Secret, id?: string, stage = 'AWSCURRENT'): SecretVersion | undefined =>
  secret.versions.find((version) => (id === undefined ? version.stages.includes(stage) : version.id === id));

/** The secret with one more version, which becomes AWSCURRENT; the one before becomes AWSPREVIOUS. */
export const withVersion = (secret: Secret, version: Omit<SecretVersion, 'stages'>): Secret => {
  const older = secret.versions.map((known) => ({
    ...known,
    stages: known.stages.includes('AWSCURRENT')
      ? [...known.stages.filter((stage) => stage !== 'AWSCURRENT' && stage !== 'AWSPREVIOUS'), 'AWSPREVIOUS']
      : known.stages.filter((stage) => stage !== 'AWSPREVIOUS'),
  }));
  return { ...secret, changedAt: version.createdAt, versions: [...older, { ...version, stages: ['AWSCURRENT'] }] };
};
