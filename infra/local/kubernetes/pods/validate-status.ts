import { isIP } from 'node:net';
import type { ContainerStatus, Pod } from '../../../../src/model/kubernetes.ts';
import { type FieldError, forbidden, invalid } from '../model/field-error.ts';
import type { KubernetesObject } from '../model/object.ts';
import { asPod } from '../resources/typed.ts';

/** `ValidatePodStatusUpdate`: addresses, the QoS class, and containers that have ended for good. */
export const podStatusErrors = (next: KubernetesObject, current: KubernetesObject): readonly FieldError[] => {
  const [after, before] = [asPod(next), asPod(current)];
  const qosClass = after.status?.qosClass;
  return [
    ...stateErrors(after, before, 'containerStatuses'),
    ...addressErrors(after),
    ...(qosClass && qosClass !== before.status?.qosClass
      ? [invalid('status.qosClass', qosClass, 'field is immutable')]
      : []),
  ];
};

/** A container that is not restarted does not run again. */
const stateErrors = (after: Pod, before: Pod, field: 'containerStatuses'): readonly FieldError[] => {
  const policy = before.spec?.restartPolicy;
  if (policy === 'Always') return [];
  const isFinal = ({ state }: ContainerStatus): boolean =>
    state?.terminated !== undefined && (policy === 'Never' || state.terminated.exitCode === 0);
  const ended = new Set((before.status?.[field] ?? []).filter(isFinal).map(({ name }) => name));
  return (after.status?.[field] ?? []).flatMap(({ name, state }, index) =>
    ended.has(name) && state?.terminated === undefined
      ? [forbidden(`status.${field}[${index}].state`, 'may not be transitioned to non-terminated state')]
      : [],
  );
};

const addressErrors = ({ status }: Pod): readonly FieldError[] => {
  const addresses = (status?.podIPs ?? []).map(({ ip }) => ip ?? '');
  const wrong = addresses.flatMap((address, index) =>
    isIP(address) === 0
      ? [invalid(`status.podIPs[${index}]`, address, 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)')]
      : [],
  );
  const families = new Set(addresses.map(isIP));
  if (wrong.length > 0 || families.size === addresses.length) return wrong;
  const shown = addresses.map((IP) => ({ IP }));
  return [invalid('status.podIPs', shown, 'may specify no more than one IP for each IP family')];
};
