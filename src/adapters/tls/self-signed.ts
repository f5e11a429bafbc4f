import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { bitString, explicit, objectIdentifier, sequence, time, unsignedInteger } from './der.ts';
import { pem } from './pem.ts';
import { ECDSA_WITH_SHA256, extension, commonName as named, subjectAlternativeNames } from './x509.ts';

/** A certificate and its key, PEM texts. */
export interface SelfSigned {
  readonly certificate: string;
  readonly privateKey: string;
}

const BASIC_CONSTRAINTS = objectIdentifier('2.5.29.19');
const KEY_USAGE = objectIdentifier('2.5.29.15');
const EXTENDED_KEY_USAGE = objectIdentifier('2.5.29.37');
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
  const name = sequence(named(commonName));
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
        subjectAlternativeNames(names),
      ),
    ),
  );
  const signature = sign('sha256', content, privateKey);
  return {
    certificate: pem('CERTIFICATE', sequence(content, ECDSA_WITH_SHA256, bitString(signature))),
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
};
