import { networkInterfaces } from 'node:os';

/**
 * The address the kubelet endpoint listens on and the node publishes. The embedded API dials loopback; a real API server
 * refuses loopback addresses for `nodes/NAME/proxy`, so that there the machine's own first IPv4 address serves, which
 * still demands a client certificate of the cluster.
 */
export const kubeletAddress = (embedded: boolean): string => {
  if (embedded) return '127.0.0.1';
  const addresses = Object.values(networkInterfaces()).flat();
  const own = addresses.find((address) => address !== undefined && address.family === 'IPv4' && !address.internal);
  return own?.address ?? '127.0.0.1';
};
