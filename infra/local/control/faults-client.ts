import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import type { Fault } from '../aws/faults/fault-model.ts';
import { AWS_FILE } from '../cloud/credentials.ts';

const awsFile = z.object({ url: z.string(), accessKeyId: z.string() });
const answerSchema = z.object({
  faults: z.optional(z.array(z.looseObject({ kind: z.string() }))),
  message: z.optional(z.string()),
});

/** A standing fault, as the emulator tells of it. */
export type StandingFault = Readonly<Record<string, unknown>> & { readonly kind: string };

/** Talks to the emulator of the local cloud that runs from a directory. */
export class FaultsClient {
  readonly #url: string;
  readonly #accessKeyId: string;

  private constructor({ url, accessKeyId }: z.output<typeof awsFile>) {
    this.#url = `${url}/_local/faults`;
    this.#accessKeyId = accessKeyId;
  }

  /** @throws {Error} where no local cloud has run from there, or somebody else's. */
  static of(directory: string): FaultsClient {
    const path = join(directory, AWS_FILE);
    try {
      return new FaultsClient(z.parse(awsFile, JSON.parse(readFileSync(path, 'utf8'))));
    } catch (error) {
      throw new Error(`${path} cannot be read: start the local cloud with npm start, or name its --directory`, {
        cause: error,
      });
    }
  }

  /** Answers all that stand. @throws {Error} where the local cloud does not answer or says no. */
  list(): Promise<readonly StandingFault[]> {
    return this.#call('GET');
  }

  add(fault: Fault): Promise<readonly StandingFault[]> {
    return this.#call('POST', JSON.stringify(fault));
  }

  clear(): Promise<readonly StandingFault[]> {
    return this.#call('DELETE');
  }

  async #call(method: string, body?: string): Promise<readonly StandingFault[]> {
    const headers = { authorization: `Bearer ${this.#accessKeyId}`, connection: 'close' };
    const response = await fetch(this.#url, { method, headers, ...(body !== undefined && { body }) }).catch(
      (error: unknown) => {
        throw new Error(`no local cloud answers at ${this.#url}: start it with npm start`, { cause: error });
      },
    );
    const { faults = [], message = `the local cloud answered ${response.status}` } = z.parse(
      answerSchema,
      await response.json(),
    );
    if (!response.ok) throw new Error(message);
    return faults;
  }
}
