import dns from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { PermanentError } from '../../core/errors.ts';

/** Addresses that answer to any program on a machine and hand out its credentials. Never those of a provider. */
const REFUSED = new BlockList();
REFUSED.addSubnet('169.254.0.0', 16, 'ipv4'); // link-local: metadata of AWS, Azure, Google Cloud and most others
REFUSED.addSubnet('fe80::', 10, 'ipv6');
REFUSED.addAddress('fd00:ec2::254', 'ipv6'); // AWS
REFUSED.addAddress('fd20:ce::254', 'ipv6'); // Google Cloud
REFUSED.addAddress('100.100.100.200', 'ipv4'); // Alibaba Cloud
REFUSED.addAddress('168.63.129.16', 'ipv4'); // Azure's wire server
REFUSED.addAddress('192.0.0.192', 'ipv4'); // Oracle Cloud
// The same through IPv6: NAT64 and 6to4. (IPv4-mapped ones are found by the IPv4 rules.)
REFUSED.addSubnet('64:ff9b::169.254.0.0', 112, 'ipv6');
REFUSED.addSubnet('2002:a9fe::', 32, 'ipv6');

/** True where the text is an IP address no request may go to: link-local ones, and those of cloud metadata services. */
export const isRefusedAddress = (address: string): boolean => {
  const [bare = ''] = address.replace(/^\[|\]$/g, '').split('%');
  const family = isIP(bare);
  return family !== 0 && REFUSED.check(bare, family === 6 ? 'ipv6' : 'ipv4');
};

type Resolve = (
  host: string,
  options: dns.LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, addresses: dns.LookupAddress[]) => void,
) => void;

/**
 * Name resolution for sockets that fails where any of a name's addresses is refused, at every connection anew: what a name
 * stood for when it was configured says nothing about now.
 */
export const guardedLookup =
  (resolve: Resolve = dns.lookup): LookupFunction =>
  (host, options, callback) => {
    resolve(host, { ...options, all: true }, (error, addresses) => {
      const refused = addresses?.find(({ address }) => isRefusedAddress(address));
      const [first] = addresses ?? [];
      if (error) return callback(error, '', 4);
      if (refused) return callback(refusal(host, refused.address), '', 4);
      if (options.all) return callback(null, addresses);
      return first ? callback(null, first.address, first.family) : callback(notFound(host), '', 4);
    });
  };

const refusal = (host: string, address: string): PermanentError =>
  new PermanentError(`${host} stands for ${address}, a link-local or metadata address: name another host as url`);

const notFound = (host: string): NodeJS.ErrnoException =>
  Object.assign(new Error(`${host} has no address`), { code: 'ENOTFOUND' });
