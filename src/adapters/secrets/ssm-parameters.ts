import { GetParameterCommand, type SSMClient } from '@aws-sdk/client-ssm';
import type { Clock } from '../../core/clock.ts';
import { PermanentError } from '../../core/errors.ts';
import { awsError } from '../aws/errors.ts';

export interface SsmParametersOptions {
  /** What we need of the SDK's client. */
  readonly client: Pick<SSMClient, 'send'>;
  readonly clock: Clock;
  /** How long a value read is believed. Five minutes where it is left out. */
  readonly ttlMs?: number;
}

/**
 * Decrypted parameters of SSM's Parameter Store, kept in memory for a short time. Where a value turns out to be stale
 * (an API server answers 401), `reread` asks again at once.
 */
export class SsmParameters {
  readonly #client: Pick<SSMClient, 'send'>;
  readonly #clock: Clock;
  readonly #ttlMs: number;
  readonly #known = new Map<string, Known>();

  constructor({ client, clock, ttlMs = 300_000 }: SsmParametersOptions) {
    this.#client = client;
    this.#clock = clock;
    this.#ttlMs = ttlMs;
  }

  /** @throws {PermanentError} naming the parameter and the fix where it is not there or may not be read. */
  async get(name: string, signal: AbortSignal): Promise<string> {
    const known = this.#known.get(name);
    if (known === undefined || this.#clock.now() >= known.readAt + this.#ttlMs) return this.reread(name, signal);
    return (await known.parameter).value;
  }

  /** Only what has changed is decrypted: the key's owner pays for every decryption. */
  async reread(name: string, signal: AbortSignal): Promise<string> {
    const before = this.#known.get(name);
    const parameter = this.#newer(name, before, signal);
    const entry = { readAt: this.#clock.now(), parameter };
    this.#known.set(name, entry);
    // A failure is not kept: the next caller asks again.
    parameter.catch(() => {
      if (this.#known.get(name) === entry) this.#known.delete(name);
    });
    return (await parameter).value;
  }

  async #newer(name: string, before: Known | undefined, signal: AbortSignal): Promise<Parameter> {
    const known = await before?.parameter.catch(() => undefined);
    if (known?.version === undefined) return this.#read(name, true, signal);
    const { version } = await this.#read(name, false, signal);
    return version === known.version ? known : this.#read(name, true, signal);
  }

  async #read(name: string, decrypted: boolean, signal: AbortSignal): Promise<Parameter> {
    const command = new GetParameterCommand({ Name: name, WithDecryption: decrypted });
    try {
      const { Parameter } = await this.#client.send(command, { abortSignal: signal });
      if (Parameter?.Value !== undefined) return { value: Parameter.Value, version: Parameter.Version };
    } catch (error) {
      throw awsError(error, { doing: `read SSM parameter ${name}`, missing: missing(name) });
    }
    throw new PermanentError(missing(name));
  }
}

interface Parameter {
  readonly value: string;
  /** Grows with every change. */
  readonly version: number | undefined;
}

interface Known {
  readonly readAt: number;
  readonly parameter: Promise<Parameter>;
}

const missing = (name: string): string =>
  `there is no SSM parameter ${name}: store it as a SecureString, or correct its name and the region`;
