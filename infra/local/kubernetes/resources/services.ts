import { type FieldError, invalid, required, unsupported } from '../model/field-error.ts';
import {
  type JsonObject,
  type KubernetesObject,
  listOf,
  numberOf,
  objectOf,
  objectsOf,
  textOf,
} from '../model/object.ts';
import { selectableFields } from '../select/fields.ts';
import { servicePrinter } from '../tables/services.ts';
import { labelFaults } from '../values/names.ts';
import { coreDefaults, keepStatus, plainStrategy, type ResourceDefinition } from './definition.ts';

const TYPES = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'];

/** Defaults of core/v1 but for the addresses, which the creation hands out (controllers/addresses.ts). */
const withDefaults = (service: KubernetesObject): KubernetesObject => {
  const spec = objectOf(service['spec']);
  const type = textOf(spec['type']) || 'ClusterIP';
  const ports = objectsOf(spec['ports']).map((port) => ({
    ...port,
    protocol: textOf(port['protocol']) || 'TCP',
    targetPort: port['targetPort'] || port['port'],
  }));
  const hasAddress = type !== 'ExternalName';
  return {
    ...service,
    spec: {
      ...spec,
      type,
      ...(ports.length > 0 ? { ports } : {}),
      sessionAffinity: textOf(spec['sessionAffinity']) || 'None',
      ...(hasAddress ? { internalTrafficPolicy: textOf(spec['internalTrafficPolicy']) || 'Cluster' } : {}),
      ...(type === 'NodePort' || type === 'LoadBalancer'
        ? { externalTrafficPolicy: textOf(spec['externalTrafficPolicy']) || 'Cluster' }
        : {}),
      ...(hasAddress
        ? { ipFamilies: spec['ipFamilies'] ?? ['IPv4'], ipFamilyPolicy: spec['ipFamilyPolicy'] ?? 'SingleStack' }
        : {}),
    },
    status: { loadBalancer: {} },
  };
};

const validate = (service: KubernetesObject): readonly FieldError[] => {
  const spec = objectOf(service['spec']);
  const type = textOf(spec['type']) ?? '';
  const ports = objectsOf(spec['ports']);
  const isHeadless = spec['clusterIP'] === 'None';
  return [
    ...(ports.length === 0 && !isHeadless && type !== 'ExternalName' ? [required('spec.ports')] : []),
    ...ports.flatMap((port, index) => portErrors(port, `spec.ports[${index}]`, ports.length > 1)),
    ...(TYPES.includes(type) ? [] : [unsupported('spec.type', type, TYPES)]),
    ...(type === 'ExternalName' && !textOf(spec['externalName']) ? [required('spec.externalName')] : []),
  ];
};

const portErrors = (port: JsonObject, path: string, mustHaveName: boolean): readonly FieldError[] => {
  const name = textOf(port['name']) ?? '';
  const range = 'must be between 1 and 65535, inclusive';
  const isPort = (value: unknown): boolean =>
    typeof value === 'string' || ((numberOf(value) ?? 0) >= 1 && (numberOf(value) ?? 0) <= 65_535);
  const protocols = ['SCTP', 'TCP', 'UDP'];
  return [
    ...(name === '' && mustHaveName ? [required(`${path}.name`)] : []),
    ...(name === '' ? [] : labelFaults(name).map((fault) => invalid(`${path}.name`, name, fault))),
    ...(isPort(port['port']) ? [] : [invalid(`${path}.port`, port['port'] ?? 0, range)]),
    ...(protocols.includes(textOf(port['protocol']) ?? '')
      ? []
      : [unsupported(`${path}.protocol`, port['protocol'], protocols)]),
    ...(isPort(port['targetPort']) ? [] : [invalid(`${path}.targetPort`, port['targetPort'] ?? 0, range)]),
  ];
};

/** A cluster IP, once given, stays. */
const keepAddress = (next: KubernetesObject, current: KubernetesObject): KubernetesObject => {
  const given = objectOf(current['spec']);
  const spec = objectOf(next['spec']);
  if (spec['type'] === 'ExternalName' || given['clusterIP'] === undefined) return next;
  return {
    ...next,
    spec: {
      ...spec,
      clusterIP: textOf(spec['clusterIP']) || given['clusterIP'],
      clusterIPs: listOf(spec['clusterIPs']).length > 0 ? spec['clusterIPs'] : given['clusterIPs'],
    },
  };
};

export const services: ResourceDefinition = {
  ...coreDefaults,
  resource: 'services',
  singular: 'service',
  kind: 'Service',
  shortNames: ['svc'],
  categories: ['all'],
  type: 'io.k8s.api.core.v1.Service',
  hasStatus: true,
  returnsDeleted: true,
  nameFaults: labelFaults,
  fields: selectableFields(['spec.clusterIP', 'spec.type']),
  printer: servicePrinter,
  strategy: {
    ...plainStrategy,
    prepareCreate: withDefaults,
    prepareUpdate: (next, current) => keepStatus(keepAddress(withDefaults(next), current), current),
    validate,
    validateUpdate: (next, current) => {
      const before = textOf(objectOf(current['spec'])['clusterIP']);
      const after = textOf(objectOf(next['spec'])['clusterIP']);
      return before && after && before !== after
        ? [invalid('spec.clusterIPs[0]', after, 'may not change once set')]
        : [];
    },
  },
};
