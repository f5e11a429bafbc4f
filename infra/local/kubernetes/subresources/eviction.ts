import type { Api } from '../api.ts';
import { type KubernetesObject, objectOf, objectsOf } from '../model/object.ts';
import { success } from '../model/status.ts';
import { readObject } from '../requests/body.ts';
import { type Exchange, respond } from '../requests/exchange.ts';
import { writeOptions } from '../requests/options.ts';
import { getStored } from '../requests/read.ts';
import { deleteWithAdmission, parseDeleteOptions } from '../requests/remove.ts';
import { pods } from '../resources/pods.ts';
import { asPod } from '../resources/typed.ts';
import { formatTime } from '../values/time.ts';

const EVICTION = { group: 'policy', version: 'v1', kind: 'Eviction', type: 'io.k8s.api.policy.v1.Eviction' };

/** POST pods/NAME/eviction: a deletion. There are no disruption budgets here that could refuse it. */
export const postEviction = async (exchange: Exchange, namespace: string, name: string): Promise<void> => {
  const { isDryRun, fieldValidation } = writeOptions(exchange.query, 'CreateOptions');
  const { object, warnings } = await readObject(exchange.request, EVICTION, fieldValidation);
  const pod = getStored(exchange.api.store, pods, namespace, name);
  const options = parseDeleteOptions(object['deleteOptions'] ?? {});
  const isRehearsal = isDryRun || options.isDryRun;
  const marked = isRehearsal || !asPod(pod).spec?.nodeName ? pod : markDisrupted(exchange.api, pod);
  await deleteWithAdmission(exchange.api, pods, marked, { ...options, isDryRun: isRehearsal }, exchange.user);
  respond(exchange, 201, success({ code: 201 }), warnings);
};

const markDisrupted = ({ store, clock }: Api, pod: KubernetesObject): KubernetesObject => {
  const status = objectOf(pod['status']);
  const others = objectsOf(status['conditions']).filter((condition) => condition['type'] !== 'DisruptionTarget');
  const target = {
    type: 'DisruptionTarget',
    status: 'True',
    lastProbeTime: null,
    lastTransitionTime: formatTime(clock.now()),
    reason: 'EvictionByEvictionAPI',
    message: 'Eviction API: evicting',
  };
  return store.update(pods, pod, { ...pod, status: { ...status, conditions: [...others, target] } });
};
