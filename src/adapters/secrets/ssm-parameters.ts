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
  readonly #known = new Map<string, { readonly readAt: number; readonly value: Promise<string> }>();

  constructor({ client, clock, ttlMs = 300_000 }: SsmParametersOptions) {
    this.#client = client;
    this.#clock = clock;
    this.#ttlMs = ttlMs;
  }

  /** @throws {PermanentError} naming the parameter and the fix where it is not there or may not be read. */
  get(name: string, signal: AbortSignal): Promise<string> {
    const known = this.#known.get(name);
    return known && this.#clock.now() < known.readAt + this.#ttlMs ? known.value : this.reread(name, signal);
  }

  reread(name: string, signal: AbortSignal): Promise<string> {
    const value = this.#read(name, signal);
    const entry = { readAt: this.#clock.now(), value };
    this.#known.set(name, entry);
    // A failure is not kept: the next caller asks again.
    value.catch(() => {
      if (this.#known.get(name) === entry) this.#known.delete(name);
    });
    return value;
  }

  async #read(name: string, signal: AbortSignal): Promise<string> {
    try {
      const { Parameter } = await this.#client.send(new GetParameterCommand({ Name: name, WithDecryption: true }), {
        abortSignal: signal,
      });
      if (Parameter?.Value !== undefined) return Parameter.Value;
    } catch (error) {
      throw awsError(error, { doing: `read SSM parameter ${name}`, missing: missing(name) });
    }
    throw new PermanentError(missing(name));
  }
}

const missing = (name: string): string =>
  `there is no SSM parameter ${name}: store it as a SecureString, or correct its name and the region`;
