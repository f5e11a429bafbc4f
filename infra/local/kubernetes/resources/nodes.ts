import type { Node, Taint } from '../../../../src/model/kubernetes.ts';
import { duplicate, type FieldError, invalid, required, unsupported } from '../model/field-error.ts';
import { type KubernetesObject, objectOf } from '../model/object.ts';
import { selectableFields } from '../select/fields.ts';
import { nodePrinter } from '../tables/nodes.ts';
import { qualifiedNameFaults, subdomainFaults } from '../values/names.ts';
import { coreDefaults, keepStatus, plainStrategy, type ResourceDefinition } from './definition.ts';
import { asNode } from './typed.ts';

const NOT_READY: Taint = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' };
const EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];
const EMPTY_INFO = {
  machineID: '',
  systemUUID: '',
  bootID: '',
  kernelVersion: '',
  osImage: '',
  containerRuntimeVersion: '',
  kubeletVersion: '',
  kubeProxyVersion: '',
  operatingSystem: '',
  architecture: '',
};

/**
 * A new node is tainted not-ready (admission TaintNodesByCondition) until the node lifecycle sees it Ready; allocatable
 * defaults to the capacity.
 */
const prepareCreate = (object: KubernetesObject): KubernetesObject => {
  const { spec, status } = asNode(object);
  const taints = spec?.taints ?? [];
  const hasTaint = taints.some(({ key, effect }) => key === NOT_READY.key && effect === NOT_READY.effect);
  const allocatable = status?.allocatable ?? status?.capacity;
  return {
    ...object,
    spec: { ...objectOf(object['spec']), taints: hasTaint ? taints : [...taints, NOT_READY] },
    status: {
      ...objectOf(object['status']),
      ...(allocatable ? { allocatable } : {}),
      nodeInfo: { ...EMPTY_INFO, ...status?.nodeInfo },
    },
  };
};

const validate = (object: KubernetesObject): readonly FieldError[] => taintErrors(asNode(object));

const taintErrors = ({ spec }: Node): readonly FieldError[] => {
  const seen = new Set<string>();
  return (spec?.taints ?? []).flatMap((taint, index) => {
    const path = `metadata.taints[${index}]`;
    const pair = `${taint.key}:${taint.effect}`;
    const errors: FieldError[] = qualifiedNameFaults(taint.key ?? '').map((fault) =>
      invalid(`${path}.key`, taint.key ?? '', fault),
    );
    if (!taint.effect) errors.push(required(`${path}.effect`));
    else if (!EFFECTS.includes(taint.effect)) errors.push(unsupported(`${path}.effect`, taint.effect, EFFECTS));
    else if (seen.has(pair)) {
      const shown = { Key: taint.key, Value: taint.value ?? '', Effect: taint.effect, TimeAdded: null };
      errors.push({ ...duplicate(path, shown, 'taints must be unique by key and effect pair') });
    }
    seen.add(pair);
    return errors;
  });
};

const validateUpdate = (next: KubernetesObject, current: KubernetesObject): readonly FieldError[] => {
  const before = asNode(current).spec?.providerID;
  const after = asNode(next).spec?.providerID;
  return before && after !== before
    ? [
        {
          reason: 'FieldValueForbidden',
          field: 'spec.providerID',
          message: 'Forbidden: node updates may not change providerID except from "" to valid',
        },
      ]
    : [];
};

export const nodes: ResourceDefinition = {
  ...coreDefaults,
  isNamespaced: false,
  resource: 'nodes',
  singular: 'node',
  kind: 'Node',
  shortNames: ['no'],
  type: 'io.k8s.api.core.v1.Node',
  hasStatus: true,
  nameFaults: subdomainFaults,
  fields: selectableFields([], {
    'spec.unschedulable': (node) => String(asNode(node).spec?.unschedulable ?? false),
  }),
  printer: nodePrinter,
  strategy: {
    ...plainStrategy,
    prepareCreate,
    prepareUpdate: (next, current) => keepStatus(next, current),
    validate,
    validateUpdate,
  },
};
