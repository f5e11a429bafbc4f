import {
  isObject,
  type JsonObject,
  type KubernetesObject,
  numberOf,
  objectOf,
  objectsOf,
  textOf,
} from '../model/object.ts';
import { withContainerDefaults, withFieldVersion } from './container-defaults.ts';

const FILE_MODE = 0o644;

/** Defaults of core/v1 for a pod's spec (`SetDefaults_Pod`, `SetDefaults_PodSpec`, `SetDefaults_Volume`). */
export const withPodDefaults = (pod: KubernetesObject): KubernetesObject => {
  const spec = objectOf(pod['spec']);
  const usesHostNetwork = spec['hostNetwork'] === true;
  const containers = (field: string): JsonObject =>
    spec[field] === undefined
      ? {}
      : { [field]: objectsOf(spec[field]).map((item) => withContainerDefaults(item, usesHostNetwork)) };
  const grace = numberOf(spec['terminationGracePeriodSeconds']) ?? 30;
  return {
    ...pod,
    spec: {
      ...spec,
      ...(spec['volumes'] === undefined ? {} : { volumes: objectsOf(spec['volumes']).map(withVolumeDefaults) }),
      ...containers('initContainers'),
      ...containers('containers'),
      restartPolicy: textOf(spec['restartPolicy']) || 'Always',
      terminationGracePeriodSeconds: grace < 0 ? 1 : grace,
      dnsPolicy: textOf(spec['dnsPolicy']) || 'ClusterFirst',
      securityContext: objectOf(spec['securityContext']),
      schedulerName: textOf(spec['schedulerName']) || 'default-scheduler',
      enableServiceLinks: spec['enableServiceLinks'] ?? true,
      ...tolerations(spec),
    },
  };
};

const withVolumeDefaults = (volume: JsonObject): JsonObject => {
  const sources = Object.keys(volume).filter((field) => field !== 'name');
  if (sources.length === 0) return { ...volume, emptyDir: {} };
  return Object.fromEntries(
    Object.entries(volume).map(([field, source]) => [field, isObject(source) ? sourceDefaults(field, source) : source]),
  );
};

const sourceDefaults = (field: string, source: JsonObject): JsonObject => {
  switch (field) {
    case 'secret':
    case 'configMap':
      return { ...source, defaultMode: source['defaultMode'] ?? FILE_MODE };
    case 'downwardAPI':
      return { ...withFields(source), defaultMode: source['defaultMode'] ?? FILE_MODE };
    case 'projected':
      return {
        ...source,
        sources: objectsOf(source['sources']).map(projectionDefaults),
        defaultMode: source['defaultMode'] ?? FILE_MODE,
      };
    case 'hostPath':
      return { ...source, type: textOf(source['type']) ?? '' };
    default:
      return source;
  }
};

const projectionDefaults = (projection: JsonObject): JsonObject => ({
  ...projection,
  ...(isObject(projection['serviceAccountToken'])
    ? { serviceAccountToken: { expirationSeconds: 3_600, ...projection['serviceAccountToken'] } }
    : {}),
  ...(isObject(projection['downwardAPI']) ? { downwardAPI: withFields(projection['downwardAPI']) } : {}),
});

const withFields = (source: JsonObject): JsonObject => ({
  ...source,
  items: objectsOf(source['items']).map((item) => ({
    ...item,
    ...(isObject(item['fieldRef']) ? { fieldRef: withFieldVersion(item['fieldRef']) } : {}),
  })),
});

/** Admission DefaultTolerationSeconds: five minutes on a node that is not ready or not reachable. */
const tolerations = (spec: JsonObject): JsonObject => {
  const given = objectsOf(spec['tolerations']);
  const added = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'].filter(
    (key) => !given.some((toleration) => covers(toleration, key)),
  );
  return {
    tolerations: [
      ...given,
      ...added.map((key) => ({ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 })),
    ],
  };
};

const covers = (toleration: JsonObject, key: string): boolean =>
  (!toleration['key'] || toleration['key'] === key) && (!toleration['effect'] || toleration['effect'] === 'NoExecute');
