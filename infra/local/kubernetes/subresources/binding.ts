import type { UserInfo } from '../access/user.ts';
import type { Api } from '../api.ts';
import { required, unsupported } from '../model/field-error.ts';
import { isObject, type KubernetesObject, objectOf, objectsOf, textOf } from '../model/object.ts';
import { conflict, internal, otherUid, success } from '../model/status.ts';
import { readObject } from '../requests/body.ts';
import { type Exchange, respond } from '../requests/exchange.ts';
import { writeOptions } from '../requests/options.ts';
import { getStored } from '../requests/read.ts';
import { pods } from '../resources/pods.ts';
import { asPod } from '../resources/typed.ts';
import { formatTime } from '../values/time.ts';

const BINDING = { group: '', version: 'v1', kind: 'Binding', type: 'io.k8s.api.core.v1.Binding' };

/** POST pods/NAME/binding. */
export const postBinding = async (exchange: Exchange, namespace: string, name: string): Promise<void> => {
  const { isDryRun, fieldValidation } = writeOptions(exchange.query, 'CreateOptions');
  const { object, warnings } = await readObject(exchange.request, BINDING, fieldValidation);
  const target = objectOf(object['target']);
  const kind = textOf(target['kind']) ?? '';
  if (kind !== '' && kind !== 'Node') throw asBareError(unsupported('target.kind', kind, ['Node', '<empty>']));
  if (!textOf(target['name'])) throw asBareError(required('target.name'));
  await bindPod(exchange.api, getStored(exchange.api.store, pods, namespace, name), object, {
    user: exchange.user,
    isDryRun,
  });
  respond(exchange, 201, success({ code: 201 }), warnings);
};

/** The real server returns these two without making a Status of them. */
const asBareError = ({ field, message }: { readonly field: string; readonly message: string }): Error =>
  internal(`${field}: ${message}`);

/**
 * Gives a pod its node, as `pods/binding` does: the webhook hears of it first, then node, annotations and the
 * PodScheduled condition are written in one step.
 * @throws {ApiError} 409 where the pod has a node, is going or is another one.
 */
export const bindPod = async (
  { store, webhook, clock }: Pick<Api, 'store' | 'webhook' | 'clock'>,
  pod: KubernetesObject,
  binding: KubernetesObject,
  occasion: { readonly user: UserInfo; readonly isDryRun: boolean },
): Promise<void> => {
  const { namespace, name = '', uid = '' } = pod.metadata;
  const asked = binding.metadata.uid;
  if (asked && asked !== uid) {
    throw otherUid(pods, { namespace, name, asked, actual: uid });
  }
  checkUnbound(pod);
  await webhook.podBound(pod, { ...binding, metadata: { namespace, ...binding.metadata, name } }, occasion);
  const current = getStored(store, pods, namespace, name);
  if (current.metadata.uid !== uid) {
    throw otherUid(pods, { namespace, name, asked: uid, actual: current.metadata.uid ?? '' });
  }
  checkUnbound(current);
  if (occasion.isDryRun) return;
  store.update(pods, current, bound(current, binding, clock.now()));
};

const checkUnbound = (pod: KubernetesObject): void => {
  const { metadata, spec } = asPod(pod);
  const name = metadata?.name ?? '';
  const refuse = (why: string): Error => conflict({ group: '', resource: 'pods/binding' }, name, why);
  if (metadata?.deletionTimestamp) throw refuse(`pod ${name} is being deleted, cannot be assigned to a host`);
  if (spec?.nodeName) throw refuse(`pod ${name} is already assigned to node "${spec.nodeName}"`);
};

const bound = (pod: KubernetesObject, binding: KubernetesObject, now: number): KubernetesObject => {
  const status = objectOf(pod['status']);
  const others = objectsOf(status['conditions']).filter((condition) => condition['type'] !== 'PodScheduled');
  const annotations = { ...pod.metadata.annotations, ...binding.metadata.annotations };
  const target = isObject(binding['target']) ? binding['target'] : {};
  return {
    ...pod,
    metadata: { ...pod.metadata, ...(Object.keys(annotations).length > 0 ? { annotations } : {}) },
    spec: { ...objectOf(pod['spec']), nodeName: target['name'] },
    status: {
      ...status,
      conditions: [
        ...others,
        {
          type: 'PodScheduled',
          status: 'True',
          lastProbeTime: null,
          lastTransitionTime: formatTime(now),
        },
      ],
    },
  };
};
