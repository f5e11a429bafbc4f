import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { isIP, isIPv4 } from 'node:net';
import {
  bitString,
  type Der,
  explicit,
  implicit,
  objectIdentifier,
  octetString,
  sequence,
  set,
  time,
  trueValue,
  unsignedInteger,
  utf8String,
} from './der.ts';

/** A certificate and its key, PEM texts. */
export interface SelfSigned {
  readonly certificate: string;
  readonly privateKey: string;
}

const ECDSA_WITH_SHA256 = sequence(objectIdentifier('1.2.840.10045.4.3.2'));
const COMMON_NAME = objectIdentifier('2.5.4.3');
const BASIC_CONSTRAINTS = objectIdentifier('2.5.29.19');
const KEY_USAGE = objectIdentifier('2.5.29.15');
const EXTENDED_KEY_USAGE = objectIdentifier('2.5.29.37');
const SUBJECT_ALTERNATIVE_NAME = objectIdentifier('2.5.29.17');
const SERVER_AUTH = objectIdentifier('1.3.6.1.5.5.7.3.1');
const DIGITAL_SIGNATURE = bitString(Uint8Array.of(0x80), 7);

const HOUR_MS = 3_600_000;
const YEAR_MS = 365 * 24 * HOUR_MS;

/**
 * A server certificate that nobody has signed, as kubelet makes one where it is given none: it encrypts, and proves
 * nothing. EC P-256, valid from an hour before `now` for a year. `names`: IP addresses and DNS names.
 */
export const selfSigned = ({
  commonName,
  names,
  now,
}: {
  readonly commonName: string;
  readonly names: readonly string[];
  readonly now: number;
}): SelfSigned => {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const name = sequence(set(sequence(COMMON_NAME, utf8String(commonName))));
  // 127 bits, the first of them set: positive, and never shorter.
  const serial = randomBytes(16);
  serial[0] = ((serial[0] ?? 0) & 0x7f) | 0x40;
  const content = sequence(
    explicit(0, unsignedInteger(Uint8Array.of(2))),
    unsignedInteger(serial),
    ECDSA_WITH_SHA256,
    name,
    sequence(time(now - HOUR_MS), time(now + YEAR_MS)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    explicit(
      3,
      sequence(
        extension(BASIC_CONSTRAINTS, sequence(), true),
        extension(KEY_USAGE, DIGITAL_SIGNATURE, true),
        extension(EXTENDED_KEY_USAGE, sequence(SERVER_AUTH)),
        extension(SUBJECT_ALTERNATIVE_NAME, sequence(...names.map(generalName))),
      ),
    ),
  );
  const signature = sign('sha256', content, privateKey);
  return {
    certificate: pem('CERTIFICATE', sequence(content, ECDSA_WITH_SHA256, bitString(signature))),
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
};

const extension = (id: Der, value: Der, isCritical = false): Der =>
  sequence(id, ...(isCritical ? [trueValue] : []), octetString(value));

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

const pem = (label: string, der: Uint8Array): string => {
  const lines =
    Buffer.from(der)
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`;
};
