import type { FaultBoard } from './faults/fault-board.ts';
import { AwsError, NoAnswer, throttled } from './service-error.ts';
import type { BucketName, Throttles } from './throttles.ts';

/** What a service can do, by name, and the bucket that calls of it are taken from. */
export type Actions<Context> = Readonly<
  Record<string, { readonly bucket: BucketName; readonly run: (context: Context, input: unknown) => unknown }>
>;

export type ServiceName = 'ecs' | 'logs' | 'ssm' | 'secretsmanager' | 'kms';

/** A service's table of actions and what one of them is called with. */
export interface Call<Context> {
  readonly faults: FaultBoard;
  readonly throttles: Throttles;
  readonly actions: Actions<Context>;
  readonly context: Context;
  readonly input: unknown;
}

/**
 * What all services do before an action: outages, throttling, unknown actions.
 * @throws {AwsError | NoAnswer}
 */
export const answerFor = async <Context>(
  service: ServiceName,
  action: string,
  { faults, throttles, actions, context, input }: Call<Context>,
): Promise<unknown> => {
  const outage = faults.take('outage', (fault) => (fault.service ?? 'ecs') === service);
  if (outage?.manner === 'hang' || outage?.manner === 'reset') throw new NoAnswer(outage.manner);
  if (outage) throw new AwsError('ServerException', 'Service Unavailable. Please try again later.', { status: 500 });
  const known = Object.hasOwn(actions, action) ? actions[action] : undefined;
  if (!known) {
    throw new AwsError('UnknownOperationException', `The local cloud does not know the action ${action}.`);
  }
  const fault = faults.take('throttle', (it) => !it.dressed && (it.action === undefined || it.action === action));
  if (fault || !throttles.allows(known.bucket)) throw throttled();
  return await known.run(context, input);
};
