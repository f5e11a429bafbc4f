import type { ConcurrencyFacts } from '../../../adapters/lambda/deployed-functions.ts';
import { nameOf } from '../../manifests/manifest.ts';
import type { Check } from '../check.ts';
import { type Finding, fail, pass, warn } from '../finding.ts';
import { heartbeatOf } from './deployment.ts';

/** AWS keeps 100 executions unreserved; the heartbeat's ten come on top. */
const RESERVABLE = 110;
/** Workers beside which an account of ten executions still has some for the heartbeat and the kubelet API. */
const FEW_WORKERS = 4;
/** Executions that an account without a reservation leaves to the heartbeat, the resync, the webhook and the kubelet API. */
const SPARE = 6;

/** Whether anything could take the executions the heartbeat needs. */
export const concurrencyCheck: Check = {
  name: 'concurrency',
  run: async (world, signal) => {
    const { deployment } = world;
    await world.stack();
    const functions = { heartbeat: heartbeatOf(deployment), worker: `${nameOf(deployment)}-pod-worker` };
    return [judgeConcurrency(await world.account.concurrency(functions, signal), deployment)];
  },
};

export const judgeConcurrency = (
  { limit, unreserved, heartbeatReserved, workers }: ConcurrencyFacts,
  deployment: string,
): Finding => {
  const deploy = `npx serverless deploy --stage ${deployment} --param`;
  const account = `the account has ${limit} concurrent executions, ${unreserved} of them unreserved`;
  if (heartbeatReserved === 0)
    return fail(
      'no execution at all is left to the heartbeat: its reservation is 0',
      `${deploy} heartbeatConcurrency=10`,
    );
  if (heartbeatReserved !== undefined) return pass(`${account}; ${heartbeatReserved} are kept for the heartbeat`);
  if (limit >= RESERVABLE) return warn(`${account}, none kept for the heartbeat`, `${deploy} heartbeatConcurrency=10`);
  if (workers === undefined || workers > FEW_WORKERS || unreserved < workers + SPARE)
    return fail(
      `${account}, and the pod workers may take ${workers ?? 'all'} of them: the heartbeat can starve`,
      `${deploy} workerConcurrency=${FEW_WORKERS}, or ask for more executions (Service Quotas, L-B99A9384)`,
    );
  return pass(`${account}; the pod workers take ${workers} at most`);
};
