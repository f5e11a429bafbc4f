import type { Service } from '../../../../src/model/kubernetes.ts';
import type { Printer } from '../resources/definition.ts';
import { asService } from '../resources/typed.ts';
import { ageOf } from './age.ts';
import { AGE, column, NAME, wide } from './columns.ts';

/** Services as `printService` of kubernetes/pkg/printers prints them. */
export const servicePrinter: Printer = {
  columns: [
    NAME,
    column('Type', 'type determines how the Service is exposed.'),
    column('Cluster-IP', 'clusterIP is the IP address of the service and is usually assigned randomly.'),
    column(
      'External-IP',
      'externalIPs is a list of IP addresses for which nodes in the cluster will also accept traffic for this service.',
    ),
    column('Port(s)', 'The list of ports that are exposed by this service.'),
    AGE,
    wide('Selector', 'Route service traffic to pods with label keys and values matching this selector.'),
  ],
  cells: (object, now) => {
    const service = asService(object);
    return [
      service.metadata?.name ?? '',
      service.spec?.type ?? '',
      service.spec?.clusterIP || '<none>',
      externalAddress(service),
      portsOf(service),
      ageOf(service.metadata?.creationTimestamp, now),
      selectorOf(service),
    ];
  },
};

const externalAddress = ({ spec, status }: Service): string => {
  const external = spec?.externalIPs ?? [];
  if (spec?.type === 'ExternalName') return spec.externalName ?? '';
  if (spec?.type !== 'LoadBalancer') return external.join(',') || '<none>';
  const ingress = status?.loadBalancer?.ingress?.map(({ ip, hostname }) => ip ?? hostname ?? '') ?? [];
  return [...ingress, ...external].join(',') || '<pending>';
};

const portsOf = ({ spec }: Service): string =>
  (spec?.ports ?? [])
    .map(({ port, nodePort, protocol }) => `${port}${nodePort ? `:${nodePort}` : ''}/${protocol ?? 'TCP'}`)
    .join(',') || '<none>';

const selectorOf = ({ spec }: Service): string =>
  Object.entries(spec?.selector ?? {})
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([key, value]) => `${key}=${value}`)
    .join(',') || '<none>';
