import { isObject, type JsonObject, objectOf, objectsOf, textOf } from '../model/object.ts';

/** Defaults of core/v1 for one container (`SetDefaults_Container` and its parts). */
export const withContainerDefaults = (container: JsonObject, usesHostNetwork: boolean): JsonObject => ({
  ...container,
  ...mapped(container, 'ports', (port) => portDefaults(port, usesHostNetwork)),
  ...mapped(container, 'env', envDefaults),
  resources: resourceDefaults(objectOf(container['resources'])),
  ...probe(container, 'livenessProbe'),
  ...probe(container, 'readinessProbe'),
  ...probe(container, 'startupProbe'),
  ...lifecycle(container),
  terminationMessagePath: textOf(container['terminationMessagePath']) || '/dev/termination-log',
  terminationMessagePolicy: textOf(container['terminationMessagePolicy']) || 'File',
  imagePullPolicy: textOf(container['imagePullPolicy']) || pullPolicyOf(textOf(container['image']) ?? ''),
});

const mapped = (object: JsonObject, field: string, change: (item: JsonObject) => JsonObject): JsonObject =>
  object[field] === undefined ? {} : { [field]: objectsOf(object[field]).map(change) };

const portDefaults = (port: JsonObject, usesHostNetwork: boolean): JsonObject => ({
  ...(usesHostNetwork ? { hostPort: port['containerPort'] } : {}),
  ...port,
  protocol: textOf(port['protocol']) || 'TCP',
});

const envDefaults = (variable: JsonObject): JsonObject => {
  const from = objectOf(variable['valueFrom']);
  if (isObject(from['fieldRef'])) {
    return { ...variable, valueFrom: { ...from, fieldRef: withFieldVersion(from['fieldRef']) } };
  }
  return isObject(from['resourceFieldRef'])
    ? {
        ...variable,
        valueFrom: {
          ...from,
          resourceFieldRef: { ...from['resourceFieldRef'], divisor: from['resourceFieldRef']['divisor'] ?? '0' },
        },
      }
    : variable;
};

/** `fieldRef` names the version of its path: v1 unless said otherwise. */
export const withFieldVersion = (reference: JsonObject): JsonObject => ({ apiVersion: 'v1', ...reference });

/** A limit without a request is the request too. */
const resourceDefaults = (resources: JsonObject): JsonObject => {
  const limits = objectOf(resources['limits']);
  const requests = { ...limits, ...objectOf(resources['requests']) };
  return Object.keys(requests).length === 0 ? resources : { ...resources, requests };
};

const probe = (container: JsonObject, field: string): JsonObject => {
  const given = container[field];
  if (!isObject(given)) return {};
  const grpc = isObject(given['grpc']) ? { grpc: { service: '', ...given['grpc'] } } : {};
  return {
    [field]: {
      ...given,
      ...httpGetDefaults(given),
      ...grpc,
      timeoutSeconds: given['timeoutSeconds'] || 1,
      periodSeconds: given['periodSeconds'] || 10,
      successThreshold: given['successThreshold'] || 1,
      failureThreshold: given['failureThreshold'] || 3,
    },
  };
};

const httpGetDefaults = (handler: JsonObject): JsonObject =>
  isObject(handler['httpGet'])
    ? {
        httpGet: {
          ...handler['httpGet'],
          path: textOf(handler['httpGet']['path']) || '/',
          scheme: textOf(handler['httpGet']['scheme']) || 'HTTP',
        },
      }
    : {};

const lifecycle = (container: JsonObject): JsonObject => {
  const given = container['lifecycle'];
  if (!isObject(given)) return {};
  const hooks = ['postStart', 'preStop'].flatMap((hook) => {
    const handler = given[hook];
    return isObject(handler) ? [[hook, { ...handler, ...httpGetDefaults(handler) }]] : [];
  });
  return { lifecycle: { ...given, ...Object.fromEntries(hooks) } };
};

/** Images without a tag, or tagged latest, are pulled each time; a digest counts as a tag. */
const pullPolicyOf = (image: string): string => {
  if (image.includes('@')) return 'IfNotPresent';
  const tag = /:([^:/]+)$/.exec(image)?.[1] ?? 'latest';
  return tag === 'latest' ? 'Always' : 'IfNotPresent';
};
