import {
  GetAccountSettingsCommand,
  GetFunctionConcurrencyCommand,
  GetFunctionConfigurationCommand,
  LambdaClient,
  ListEventSourceMappingsCommand,
} from '@aws-sdk/client-lambda';
import { TransientError } from '../../core/errors.ts';
import { awsError } from '../aws/errors.ts';

/** Concurrent executions of Lambda functions. */
export interface ConcurrencyFacts {
  /** Of the whole account in the region. */
  readonly limit: number;
  /** What no function has reserved. */
  readonly unreserved: number;
  /** Kept for the heartbeat; undefined: nothing. */
  readonly heartbeatReserved: number | undefined;
  /** Most workers at once; undefined: no limit of ours. */
  readonly workers: number | undefined;
}

/** Functions of one region as they are deployed, read only. */
export class DeployedFunctions {
  readonly #client: LambdaClient;
  #aheadMs: number | undefined;

  /** `endpoint`: another address than AWS's. */
  constructor({
    now,
    ...options
  }: { readonly region: string; readonly endpoint?: string; readonly now: () => number }) {
    this.#client = new LambdaClient({ ...options, maxAttempts: 3 });
    this.#client.middlewareStack.add(
      (next) => async (args) => {
        const result = await next(args);
        this.#aheadMs = aheadBy(result.response, now()) ?? this.#aheadMs;
        return result;
      },
      { step: 'deserialize', priority: 'low' },
    );
  }

  /** How far AWS's clock is ahead of ours, by the last answer; undefined before one has come. */
  aheadMs(): number | undefined {
    return this.#aheadMs;
  }

  /** Environment of a function; undefined where there is no such function. */
  async environment(name: string, signal: AbortSignal): Promise<Readonly<Record<string, string>> | undefined> {
    try {
      const command = new GetFunctionConfigurationCommand({ FunctionName: name });
      return (await this.#client.send(command, { abortSignal: signal })).Environment?.Variables ?? {};
    } catch (error) {
      if (error instanceof Error && error.name === 'ResourceNotFoundException') return undefined;
      throw awsError(error, { doing: `read function ${name}` });
    }
  }

  async concurrency(
    { heartbeat, worker }: { readonly heartbeat: string; readonly worker: string },
    signal: AbortSignal,
  ): Promise<ConcurrencyFacts> {
    try {
      const [account, reserved, mappings] = await Promise.all([
        this.#client.send(new GetAccountSettingsCommand({}), { abortSignal: signal }),
        this.#client.send(new GetFunctionConcurrencyCommand({ FunctionName: heartbeat }), { abortSignal: signal }),
        this.#client.send(new ListEventSourceMappingsCommand({ FunctionName: worker }), { abortSignal: signal }),
      ]);
      const { ConcurrentExecutions: limit, UnreservedConcurrentExecutions: unreserved } = account.AccountLimit ?? {};
      if (limit === undefined || unreserved === undefined)
        throw new TransientError('Lambda does not tell the limits of the account');
      return {
        limit,
        unreserved,
        heartbeatReserved: reserved.ReservedConcurrentExecutions,
        workers: mappings.EventSourceMappings?.[0]?.ScalingConfig?.MaximumConcurrency,
      };
    } catch (error) {
      throw awsError(error, { doing: "read Lambda's limits of the account" });
    }
  }

  close(): void {
    this.#client.destroy();
  }
}

const aheadBy = (response: unknown, now: number): number | undefined => {
  if (typeof response !== 'object' || response === null || !('headers' in response)) return undefined;
  const { headers } = response;
  if (typeof headers !== 'object' || headers === null || !('date' in headers)) return undefined;
  const at = Date.parse(String(headers.date));
  return Number.isNaN(at) ? undefined : at - now;
};
