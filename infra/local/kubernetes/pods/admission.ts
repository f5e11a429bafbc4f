import type { Random } from '../../../../src/core/clock.ts';
import { randomSuffix } from '../model/names.ts';
import { type JsonObject, type KubernetesObject, objectOf, objectsOf, textOf } from '../model/object.ts';
import { forbiddenTo } from '../model/status.ts';

const PODS = { group: '', resource: 'pods' };
const TOKEN_PATH = '/var/run/secrets/kubernetes.io/serviceaccount';
const PRIORITIES: Readonly<Record<string, number>> = {
  'system-cluster-critical': 2_000_000_000,
  'system-node-critical': 2_000_001_000,
};

export interface PodAdmissionSources {
  readonly findServiceAccount: (namespace: string, name: string) => KubernetesObject | undefined;
  readonly random: Random;
}

/**
 * What the admission plugins ServiceAccount and Priority do to a new pod: the account must exist; its token volume and
 * pull secrets are added; the priority is written out.
 * @throws {ApiError} 403 where the account or the priority class is unknown.
 */
export const admitPod = (pod: KubernetesObject, sources: PodAdmissionSources): KubernetesObject => {
  const { name = '', namespace = '' } = pod.metadata;
  const spec = objectOf(pod['spec']);
  const accountName = textOf(spec['serviceAccountName']) || textOf(spec['serviceAccount']) || 'default';
  const account = sources.findServiceAccount(namespace, accountName);
  if (!account) {
    throw forbiddenTo(
      PODS,
      name,
      `error looking up service account ${namespace}/${accountName}: serviceaccount "${accountName}" not found`,
    );
  }
  const pullSecrets = spec['imagePullSecrets'] ?? account['imagePullSecrets'];
  const named = {
    ...spec,
    serviceAccountName: accountName,
    serviceAccount: accountName,
    ...priorityOf(spec, name),
    ...(pullSecrets === undefined ? {} : { imagePullSecrets: pullSecrets }),
  };
  const automounts = spec['automountServiceAccountToken'] ?? account['automountServiceAccountToken'] ?? true;
  return { ...pod, spec: automounts === false ? named : withToken(named, sources.random) };
};

const priorityOf = (spec: JsonObject, pod: string): JsonObject => {
  const className = textOf(spec['priorityClassName']) ?? '';
  const priority = className === '' ? 0 : PRIORITIES[className];
  if (priority === undefined) throw forbiddenTo(PODS, pod, `no PriorityClass with name ${className} was found`);
  return { priority, preemptionPolicy: textOf(spec['preemptionPolicy']) ?? 'PreemptLowerPriority' };
};

/** Mounts the projected token volume into every container that mounts nothing at its path. */
const withToken = (spec: JsonObject, random: Random): JsonObject => {
  const mountsToken = (container: JsonObject): boolean =>
    objectsOf(container['volumeMounts']).some((mount) => mount['mountPath'] === TOKEN_PATH);
  const all = [...objectsOf(spec['initContainers']), ...objectsOf(spec['containers'])];
  if (all.every(mountsToken)) return spec;
  const name = `kube-api-access-${randomSuffix(random)}`;
  const mount = { name, readOnly: true, mountPath: TOKEN_PATH };
  const mounted = (field: string): JsonObject =>
    spec[field] === undefined
      ? {}
      : {
          [field]: objectsOf(spec[field]).map((container) =>
            mountsToken(container)
              ? container
              : { ...container, volumeMounts: [...objectsOf(container['volumeMounts']), mount] },
          ),
        };
  return {
    ...spec,
    volumes: [...objectsOf(spec['volumes']), tokenVolume(name)],
    ...mounted('initContainers'),
    ...mounted('containers'),
  };
};

const tokenVolume = (name: string): JsonObject => ({
  name,
  projected: {
    sources: [
      { serviceAccountToken: { expirationSeconds: 3_607, path: 'token' } },
      { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
      {
        downwardAPI: {
          items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }],
        },
      },
    ],
    defaultMode: 0o644,
  },
});
