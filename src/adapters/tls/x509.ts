import { isIP, isIPv4 } from 'node:net';
import { type Der, implicit, objectIdentifier, octetString, sequence, set, trueValue, utf8String } from './der.ts';

/** Parts of certificates and of the requests for them (RFC 5280, RFC 2986). */
export const ECDSA_WITH_SHA256: Der = sequence(objectIdentifier('1.2.840.10045.4.3.2'));

const COMMON_NAME = objectIdentifier('2.5.4.3');
const ORGANIZATION = objectIdentifier('2.5.4.10');
const SUBJECT_ALTERNATIVE_NAME = objectIdentifier('2.5.29.17');

/** One part of a distinguished name: `CN=<text>`. */
export const commonName = (text: string): Der => set(sequence(COMMON_NAME, utf8String(text)));

/** One part of a distinguished name: `O=<text>`. */
export const organization = (text: string): Der => set(sequence(ORGANIZATION, utf8String(text)));

/** One extension around its DER value. */
export const extension = (id: Der, value: Der, isCritical = false): Der =>
  sequence(id, ...(isCritical ? [trueValue] : []), octetString(value));

/** The extension that holds the names: IP addresses and DNS names, told apart by their form. */
export const subjectAlternativeNames = (names: readonly string[]): Der =>
  extension(SUBJECT_ALTERNATIVE_NAME, sequence(...names.map(generalName)));

const generalName = (name: string): Der =>
  isIP(name) ? implicit(7, addressBytes(name)) : implicit(2, Buffer.from(name, 'ascii'));

const addressBytes = (address: string): Uint8Array => {
  if (isIPv4(address)) return Uint8Array.from(address.split('.').map(Number));
  // URL writes an IPv6 address in its shortest form, without zones and dotted quads.
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const groups = (text: string | undefined): number[] =>
    text ? text.split(':').map((group) => Number.parseInt(group, 16)) : [];
  const [before, after] = [groups(head), groups(tail)];
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => 0);
  return Uint8Array.from([...before, ...zeros, ...after].flatMap((group) => [group >> 8, group & 0xff]));
};
