import { type FieldError, invalid } from '../model/field-error.ts';
import { numberOf, objectOf } from '../model/object.ts';
import { basicFields } from '../select/fields.ts';
import { leasePrinter } from '../tables/small-kinds.ts';
import { subdomainFaults } from '../values/names.ts';
import { coreDefaults, plainStrategy, type ResourceDefinition } from './definition.ts';

export const leases: ResourceDefinition = {
  ...coreDefaults,
  group: 'coordination.k8s.io',
  resource: 'leases',
  singular: 'lease',
  kind: 'Lease',
  type: 'io.k8s.api.coordination.v1.Lease',
  createsOnUpdate: true,
  allowsUnconditionalUpdate: false,
  nameFaults: subdomainFaults,
  fields: basicFields,
  printer: leasePrinter,
  strategy: {
    ...plainStrategy,
    prepareCreate: (lease) => ({ ...lease, spec: objectOf(lease['spec']) }),
    validate: (lease): readonly FieldError[] => {
      const spec = objectOf(lease['spec']);
      const duration = numberOf(spec['leaseDurationSeconds']);
      const transitions = numberOf(spec['leaseTransitions']);
      return [
        ...(duration !== undefined && duration <= 0
          ? [invalid('spec.leaseDurationSeconds', duration, 'must be greater than 0')]
          : []),
        ...(transitions !== undefined && transitions < 0
          ? [invalid('spec.leaseTransitions', transitions, 'must be greater than or equal to 0')]
          : []),
      ];
    },
  },
};
