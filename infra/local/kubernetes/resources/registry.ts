import { configMaps, secrets, serviceAccounts } from './config-kinds.ts';
import type { ResourceDefinition } from './definition.ts';
import { events, eventsOfGroup } from './events.ts';
import { leases } from './leases.ts';
import { namespaces } from './namespaces.ts';
import { nodes } from './nodes.ts';
import { pods } from './pods.ts';
import { services } from './services.ts';

/** Every resource with objects of its own, in the order discovery names them. */
export const resources: readonly ResourceDefinition[] = [
  configMaps,
  events,
  namespaces,
  nodes,
  pods,
  secrets,
  serviceAccounts,
  services,
  leases,
  eventsOfGroup,
];

/** The resource of that group, version and plural. */
export const findResource = (group: string, version: string, plural: string): ResourceDefinition | undefined =>
  resources.find(
    (definition) => definition.group === group && definition.version === version && definition.resource === plural,
  );
