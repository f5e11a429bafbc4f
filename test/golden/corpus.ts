import { readdirSync, readFileSync } from 'node:fs';
import { parseAllDocuments } from 'yaml';
import * as z from 'zod/mini';
import type { ConfigMap, Container, Pod, PodSpec, Secret } from '../../src/model/kubernetes.ts';

const FOLDER = new URL('../corpus/', import.meta.url);

const object = z.looseObject({
  kind: z.string(),
  metadata: z.looseObject({ name: z.string(), namespace: z.optional(z.string()) }),
});

/** The objects of one manifest of the corpus, by its number. */
export const corpusObjects = (number: string): readonly z.infer<typeof object>[] => {
  const file = readdirSync(FOLDER).find((name) => name.startsWith(`${number}-`));
  if (!file) throw new Error(`the corpus has no manifest ${number}`);
  const documents = parseAllDocuments(readFileSync(new URL(file, FOLDER), 'utf8'));
  return documents.map((document) => object.parse(document.toJS()));
};

/** ConfigMaps and Secrets of the manifest as found sources, by name. */
export const corpusSources = (
  number: string,
): {
  readonly configMaps: Record<string, { readonly kind: 'found'; readonly object: ConfigMap }>;
  readonly secrets: Record<string, { readonly kind: 'found'; readonly object: Secret }>;
} => {
  const of = (kind: string): Record<string, { readonly kind: 'found'; readonly object: ConfigMap & Secret }> =>
    Object.fromEntries(
      corpusObjects(number)
        .filter((one) => one.kind === kind)
        .map((one) => [one.metadata.name, { kind: 'found' as const, object: one as ConfigMap & Secret }]),
    );
  return { configMaps: of('ConfigMap'), secrets: of('Secret') };
};

/**
 * The pod of a manifest as an API server would hand it to a kubelet: rendered from the first template where it is none
 * itself, with the defaults filled in and the token volume of its ServiceAccount added.
 */
export const corpusPod = (number: string, node = 'fargate'): Pod => {
  const source = corpusObjects(number).find(({ kind }) => kind === 'Pod' || kind in SUFFIXES);
  if (!source) throw new Error(`manifest ${number} holds no pod`);
  const suffix = SUFFIXES[source.kind];
  const template = suffix === undefined ? source : (source.spec as { readonly template: Partial<Pod> }).template;
  const { metadata, spec } = template as Pod;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      ...metadata,
      name: source.metadata.name + (suffix ?? ''),
      namespace: source.metadata.namespace ?? 'default',
      uid: `00000000-0000-4000-8000-0000000000${number}`,
      resourceVersion: '7',
    },
    spec: withDefaults(spec ?? { containers: [] }, node),
  };
};

const SUFFIXES: Readonly<Record<string, string>> = {
  Deployment: '-5d4f8c7b9-x2x4k',
  ReplicaSet: '-x2x4k',
  StatefulSet: '-0',
  DaemonSet: '-x2x4k',
  Job: '-x2x4k',
};

const TOKEN_VOLUME = 'kube-api-access-abcde';

const withDefaults = (spec: PodSpec, node: string): PodSpec => {
  const token = spec.automountServiceAccountToken !== false;
  const complete = (container: Container): Container => withContainerDefaults(container, token);
  return {
    dnsPolicy: 'ClusterFirst',
    enableServiceLinks: true,
    preemptionPolicy: 'PreemptLowerPriority',
    priority: 0,
    restartPolicy: 'Always',
    schedulerName: 'default-scheduler',
    securityContext: {},
    serviceAccount: spec.serviceAccountName ?? 'default',
    serviceAccountName: 'default',
    terminationGracePeriodSeconds: 30,
    tolerations: [
      { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 },
      { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 },
    ],
    ...spec,
    nodeName: node,
    ...(spec.initContainers && { initContainers: spec.initContainers.map(complete) }),
    containers: spec.containers.map(complete),
    ...((token || spec.volumes) && { volumes: [...(spec.volumes ?? []), ...(token ? [tokenVolume] : [])] }),
  };
};

const tokenVolume: NonNullable<PodSpec['volumes']>[number] = {
  name: TOKEN_VOLUME,
  projected: {
    defaultMode: 420,
    sources: [
      { serviceAccountToken: { expirationSeconds: 3607, path: 'token' } },
      { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
      {
        downwardAPI: {
          items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }],
        },
      },
    ],
  },
};

const withContainerDefaults = (container: Container, token: boolean): Container => {
  const { resources = {}, ports, volumeMounts } = container;
  const limits = asTexts(resources.limits);
  const requests = { ...limits, ...asTexts(resources.requests) };
  return {
    imagePullPolicy: 'IfNotPresent',
    terminationMessagePath: '/dev/termination-log',
    terminationMessagePolicy: 'File',
    ...container,
    resources: {
      ...(Object.keys(limits).length > 0 && { limits }),
      ...(Object.keys(requests).length > 0 && { requests }),
    },
    ...(ports && { ports: ports.map((port) => ({ protocol: 'TCP', ...port })) }),
    ...((token || volumeMounts) && {
      volumeMounts: [
        ...(volumeMounts ?? []),
        ...(token
          ? [{ name: TOKEN_VOLUME, mountPath: '/var/run/secrets/kubernetes.io/serviceaccount', readOnly: true }]
          : []),
      ],
    }),
  };
};

/** YAML reads `cpu: 0.1` as a number; API servers answer texts. */
const asTexts = (list: Readonly<Record<string, unknown>> = {}): Record<string, string> =>
  Object.fromEntries(Object.entries(list).map(([name, amount]) => [name, String(amount)]));
