import { success } from '../model/status.ts';
import { decodeObject, mediaTypeOf, parseObjectBody, readBody } from '../requests/body.ts';
import { type Exchange, respond } from '../requests/exchange.ts';
import { writeOptions } from '../requests/options.ts';
import { getStored } from '../requests/read.ts';
import { deleteWithAdmission, parseDeleteOptions } from '../requests/remove.ts';
import { pods } from '../resources/pods.ts';

const EVICTION = { group: 'policy', version: 'v1', kind: 'Eviction', type: 'io.k8s.api.policy.v1.Eviction' };

/** POST pods/NAME/eviction: a deletion. There are no disruption budgets here that could refuse it. */
export const postEviction = async (exchange: Exchange, namespace: string, name: string): Promise<void> => {
  const { isDryRun, fieldValidation } = writeOptions(exchange.query, 'CreateOptions');
  const body = parseObjectBody(await readBody(exchange.request), mediaTypeOf(exchange.request), 'Eviction');
  const { object, warnings } = decodeObject(EVICTION, body, fieldValidation);
  const pod = getStored(exchange.api.store, pods, namespace, name);
  const options = parseDeleteOptions(object['deleteOptions'] ?? {});
  await deleteWithAdmission(exchange.api, pods, pod, { ...options, isDryRun: isDryRun || options.isDryRun }, exchange.user);
  respond(exchange, 201, success({ code: 201 }), warnings);
};
