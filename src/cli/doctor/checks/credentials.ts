import type { KubernetesCredentials } from '../../../adapters/kubernetes/credentials.ts';
import { parameterNames } from '../../../config/parameter-names.ts';
import { PermanentError } from '../../../core/errors.ts';
import { refuseUnusable } from '../../credentials/check-credentials.ts';
import { endOfCredentials } from '../../credentials/lifetime.ts';
import { type Check, MissingFact } from '../check.ts';
import { type Finding, fail, pass, warn } from '../finding.ts';

const DAY_MS = 86_400_000;
const SOON_DAYS = 14;

/** Whether the functions have credentials of the API server, for how long, and whether it lets them in. */
export const credentialsCheck: Check = {
  name: 'credentials',
  run: async (world, signal) => {
    const set = `svk credentials set --deployment ${world.deployment} --region ${world.region}`;
    const parameter = parameterNames(world.deployment).credentials;
    if ((await world.account.parameter(parameter, signal)) === undefined)
      return [fail(`nothing is stored in SSM parameter ${parameter}`, `${set} …`)];
    let credentials: KubernetesCredentials;
    try {
      credentials = await world.credentials();
    } catch (error) {
      // Here is where the others send who asks.
      if (!(error instanceof MissingFact && error.cause instanceof PermanentError)) throw error;
      return [fail(error.cause.message, `${set} …`)];
    }
    const lifetime = judgeCredentials(credentials, world.now(), set);
    if (lifetime.status === 'fail' || credentials.eks) return [lifetime];
    const client = await world.functions();
    if (client === undefined) return [lifetime];
    try {
      await client.get('/api/v1/namespaces/kube-system', { signal });
      return [lifetime];
    } catch (error) {
      if (!(error instanceof PermanentError) || !/does not accept our credentials|not trusted/.test(error.message))
        throw error;
      return [fail(error.message, `${set} …: the stored ones are refused`)];
    }
  },
};

/** What is known without asking anybody. `set` is the command that stores new ones. */
export const judgeCredentials = (credentials: KubernetesCredentials, now: number, set: string): Finding => {
  const { server, eks } = credentials;
  if (eks) return pass(`the functions sign tokens for EKS cluster ${eks.cluster} in ${eks.region} (${server})`);
  try {
    refuseUnusable(credentials, now);
  } catch (error) {
    if (!(error instanceof PermanentError)) throw error;
    return fail(error.message, `${set} --service-account`);
  }
  const end = endOfCredentials(credentials);
  if (end === undefined) return pass(`the functions reach ${server} with credentials that do not end`);
  const days = Math.floor((end - now) / DAY_MS);
  return days < SOON_DAYS
    ? warn(`the credentials for ${server} end in ${days} days, and the nodes with them`, `${set} --service-account`)
    : pass(`the functions reach ${server} with credentials that last ${days} days`);
};
