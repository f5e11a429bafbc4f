import { createHash } from 'node:crypto';

export interface Parameter {
  readonly name: string;
  readonly type: 'String' | 'StringList' | 'SecureString';
  readonly value: string;
  readonly version: number;
  readonly tier: 'Standard' | 'Advanced';
  readonly keyId?: string;
  readonly description?: string;
  readonly dataType: string;
  readonly modifiedAt: number;
  readonly tags: readonly { readonly Key: string; readonly Value: string }[];
}

/** Parameters by name, in memory. */
export class ParameterStore {
  readonly #arnPrefix: string;
  readonly #byName = new Map<string, Parameter>();

  constructor(region: string, accountId: string) {
    this.#arnPrefix = `arn:aws:ssm:${region}:${accountId}:parameter`;
  }

  arnOf(name: string): string {
    return `${this.#arnPrefix}${name.startsWith('/') ? '' : '/'}${name}`;
  }

  /** By name or ARN. */
  find(nameOrArn: string): Parameter | undefined {
    if (!nameOrArn.startsWith('arn:')) return this.#byName.get(nameOrArn);
    return this.all().find(({ name }) => this.arnOf(name) === nameOrArn);
  }

  put(parameter: Parameter): void {
    this.#byName.set(parameter.name, parameter);
  }

  remove(name: string): boolean {
    return this.#byName.delete(name);
  }

  all(): readonly Parameter[] {
    return [...this.#byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** The decrypted value, as the ECS agent reads it. */
  valueOf(nameOrArn: string): string | undefined {
    return this.find(nameOrArn)?.value;
  }
}

/** What a read without decryption shows of a SecureString: bytes that tell nothing, equal for equal values. */
export const cipherOf = ({ name, value }: Parameter): string =>
  createHash('sha512').update(`${name}\n${value}`).digest('base64');
