import type { Random } from '../../../../src/core/clock.ts';
import { invalid } from '../model/field-error.ts';
import { type KubernetesObject, numberOf, objectOf, objectsOf, textOf } from '../model/object.ts';
import { invalidObject } from '../model/status.ts';

const FIRST_NODE_PORT = 30_000;
const NODE_PORTS = 2_768;
const HOSTS = 65_000;

/**
 * Hands out what a Service needs: a cluster IP of 10.96.0.0/16 and, for types that have them, node ports. Nothing
 * listens there: the local cloud has no kube-proxy, but manifests and service variables look as they should.
 * @throws {ApiError} 422 where the address asked for is taken.
 */
export const withAddresses = (
  service: KubernetesObject,
  others: readonly KubernetesObject[],
  random: Random,
): KubernetesObject => {
  const spec = objectOf(service['spec']);
  if (spec['type'] === 'ExternalName') return service;
  const asked = textOf(spec['clusterIP']) ?? '';
  const taken = new Set(others.map((other) => textOf(objectOf(other['spec'])['clusterIP']) ?? ''));
  if (asked !== '' && asked !== 'None' && taken.has(asked)) {
    throw invalidObject('', 'Service', service.metadata.name ?? '', [
      invalid('spec.clusterIPs', [asked], `failed to allocate IP ${asked}: provided IP is already allocated`),
    ]);
  }
  const address = asked || freeAddress(taken, random);
  const hasNodePorts = spec['type'] === 'NodePort' || spec['type'] === 'LoadBalancer';
  const takenPorts = new Set(
    others.flatMap((other) =>
      objectsOf(objectOf(other['spec'])['ports']).map((port) => numberOf(port['nodePort']) ?? 0),
    ),
  );
  return {
    ...service,
    spec: {
      ...spec,
      clusterIP: address,
      clusterIPs: [address],
      ...(hasNodePorts
        ? {
            ports: objectsOf(spec['ports']).map((port) => ({
              ...port,
              nodePort: port['nodePort'] || freePort(takenPorts, random),
            })),
          }
        : {}),
    },
  };
};

const freeAddress = (taken: ReadonlySet<string>, random: Random): string => {
  for (;;) {
    const host = 256 + Math.floor(random.next() * HOSTS);
    const address = `10.96.${host >> 8}.${host & 0xff}`;
    if (!taken.has(address)) return address;
  }
};

const freePort = (taken: Set<number>, random: Random): number => {
  for (;;) {
    const port = FIRST_NODE_PORT + Math.floor(random.next() * NODE_PORTS);
    if (taken.has(port)) continue;
    taken.add(port);
    return port;
  }
};
