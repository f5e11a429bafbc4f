import { type KubernetesObject, objectOf, sameJson } from '../model/object.ts';
import { withPodDefaults } from '../pods/defaults.ts';
import { qosClassOf } from '../pods/quality-of-service.ts';
import { podUpdateErrors } from '../pods/update.ts';
import { podErrors } from '../pods/validate.ts';
import { podStatusErrors } from '../pods/validate-status.ts';
import { selectableFields } from '../select/fields.ts';
import { podPrinter } from '../tables/pods.ts';
import { subdomainFaults } from '../values/names.ts';
import { coreDefaults, keepStatus, plainStrategy, type ResourceDefinition } from './definition.ts';
import { asPod } from './typed.ts';

/** A new pod is Pending, whatever status it came with. */
const prepareCreate = (pod: KubernetesObject): KubernetesObject => {
  const defaulted = withPodDefaults(pod);
  return { ...defaulted, status: { phase: 'Pending', qosClass: qosClassOf(objectOf(defaulted['spec'])) } };
};

export const pods: ResourceDefinition = {
  ...coreDefaults,
  resource: 'pods',
  singular: 'pod',
  kind: 'Pod',
  shortNames: ['po'],
  categories: ['all'],
  type: 'io.k8s.api.core.v1.Pod',
  hasStatus: true,
  returnsDeleted: true,
  nameFaults: subdomainFaults,
  fields: selectableFields(
    [
      'spec.nodeName',
      'spec.restartPolicy',
      'spec.schedulerName',
      'spec.serviceAccountName',
      'status.phase',
      'status.podIP',
      'status.nominatedNodeName',
    ],
    {
      'spec.hostNetwork': (pod) => String(asPod(pod).spec?.hostNetwork ?? false),
      'status.podIPs': (pod) => (asPod(pod).status?.podIPs ?? []).map(({ ip }) => ip).join(','),
    },
  ),
  printer: podPrinter,
  strategy: {
    ...plainStrategy,
    prepareCreate,
    prepareUpdate: (next, current) => keepStatus(withPodDefaults(next), current),
    validate: podErrors,
    validateUpdate: podUpdateErrors,
    validateStatus: podStatusErrors,
    startsGeneration: (next, current) => !sameJson(next['spec'], current['spec']),
  },
};
