import { type FieldError, forbidden, invalid } from '../model/field-error.ts';
import { type KubernetesObject, objectOf, sameJson, textOf } from '../model/object.ts';
import { basicFields, selectableFields } from '../select/fields.ts';
import { configMapPrinter, secretPrinter, serviceAccountPrinter } from '../tables/small-kinds.ts';
import { configKeyFaults, subdomainFaults } from '../values/names.ts';
import { coreDefaults, plainStrategy, type ResourceDefinition } from './definition.ts';

const keyErrors = (object: KubernetesObject, map: string): readonly FieldError[] =>
  Object.keys(objectOf(object[map])).flatMap((key) =>
    configKeyFaults(key).map((fault) => invalid(`${map}[${key}]`, key, fault)),
  );

/** Once `immutable` is set, neither it nor the data may change. */
const immutableErrors = (
  next: KubernetesObject,
  current: KubernetesObject,
  maps: readonly string[],
): readonly FieldError[] => {
  if (current['immutable'] !== true) return [];
  const why = 'field is immutable when `immutable` is set';
  return [
    ...(next['immutable'] === true ? [] : [forbidden('immutable', why)]),
    ...maps.filter((map) => !sameJson(objectOf(next[map]), objectOf(current[map]))).map((map) => forbidden(map, why)),
  ];
};

export const configMaps: ResourceDefinition = {
  ...coreDefaults,
  resource: 'configmaps',
  singular: 'configmap',
  kind: 'ConfigMap',
  shortNames: ['cm'],
  type: 'io.k8s.api.core.v1.ConfigMap',
  nameFaults: subdomainFaults,
  fields: basicFields,
  printer: configMapPrinter,
  strategy: {
    ...plainStrategy,
    validate: (object) => {
      const data = objectOf(object['data']);
      return [
        ...keyErrors(object, 'data'),
        ...keyErrors(object, 'binaryData'),
        ...Object.keys(objectOf(object['binaryData']))
          .filter((key) => data[key] !== undefined)
          .map((key) => invalid(`data[${key}]`, key, `duplicate of key present in binaryData`)),
      ];
    },
    validateUpdate: (next, current) => immutableErrors(next, current, ['data', 'binaryData']),
  },
};

/** `stringData` is folded into `data` and never shown; the type defaults to Opaque. */
const foldStringData = (secret: KubernetesObject): KubernetesObject => {
  const { stringData, ...rest } = secret;
  const encoded = Object.fromEntries(
    Object.entries(objectOf(stringData)).map(([key, value]) => [key, Buffer.from(String(value)).toString('base64')]),
  );
  const data = { ...objectOf(secret['data']), ...encoded };
  return {
    ...rest,
    apiVersion: secret.apiVersion,
    kind: secret.kind,
    metadata: secret.metadata,
    ...(Object.keys(data).length > 0 ? { data } : {}),
    type: textOf(secret['type']) || 'Opaque',
  };
};

export const secrets: ResourceDefinition = {
  ...coreDefaults,
  resource: 'secrets',
  singular: 'secret',
  kind: 'Secret',
  type: 'io.k8s.api.core.v1.Secret',
  nameFaults: subdomainFaults,
  fields: selectableFields(['type']),
  printer: secretPrinter,
  strategy: {
    ...plainStrategy,
    prepareCreate: foldStringData,
    prepareUpdate: (next, current) => foldStringData({ ...next, type: textOf(next['type']) || current['type'] }),
    validate: (object) => keyErrors(object, 'data'),
    validateUpdate: (next, current) => [
      ...(next['type'] === current['type'] ? [] : [invalid('type', next['type'], 'field is immutable')]),
      ...immutableErrors(next, current, ['data']),
    ],
  },
};

export const serviceAccounts: ResourceDefinition = {
  ...coreDefaults,
  resource: 'serviceaccounts',
  singular: 'serviceaccount',
  kind: 'ServiceAccount',
  shortNames: ['sa'],
  type: 'io.k8s.api.core.v1.ServiceAccount',
  nameFaults: subdomainFaults,
  fields: basicFields,
  printer: serviceAccountPrinter,
  strategy: plainStrategy,
  returnsDeleted: true,
};
