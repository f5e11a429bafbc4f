import { readFile } from 'node:fs/promises';
import { inspectCertificate } from '../../../controllers/certificates/certificate-life.ts';
import { every } from '../../../controllers/watch/every.ts';
import type { Clock } from '../../../core/clock.ts';
import { PermanentError } from '../../../core/errors.ts';
import type { CertificatePair } from '../../../ports/certificates.ts';
import type { Logger } from '../../../ports/logger.ts';
import type { CertificateSource } from './certificate-source.ts';

/** Secrets that are mounted change by a link that is set anew, which no watch of the file itself sees: it is read again. */
export const REREAD_MS = 10_000;

/**
 * The certificate of two files, which are read again every ten seconds.
 * @throws {PermanentError} naming the file that cannot be read, or holds no certificate of the key.
 */
export const certificateFiles = async (
  { certificate, privateKey }: { readonly certificate: string; readonly privateKey: string },
  { clock, logger }: { readonly clock: Clock; readonly logger: Logger },
): Promise<CertificateSource> => {
  const read = async (): Promise<CertificatePair> => {
    const [cert, key] = await Promise.all([
      readPem(certificate, 'certificate', 'APISERVER_CERT_LOCATION'),
      readPem(privateKey, 'private key', 'APISERVER_KEY_LOCATION'),
    ]);
    return { certificate: cert, privateKey: key };
  };
  const first = await read();
  const looked = inspectCertificate(first, []);
  // Node listens with an empty file, and then no handshake succeeds.
  if ('fault' in looked)
    throw new PermanentError(
      `the certificate and the private key of the kubelet API must be PEM texts that belong together: ${certificate}: ${looked.fault}`,
    );
  return {
    first,
    refusal: () => undefined,
    run: (renew, signal) => {
      let current = first;
      return every({ ms: REREAD_MS, what: 'certificates' }, { clock, logger, signal }, async () => {
        const next = await read();
        if (next.certificate === current.certificate && next.privateKey === current.privateKey) return;
        const inspected = inspectCertificate(next, []);
        // Perhaps only one of the two is written yet.
        if ('fault' in inspected) throw new Error(`the certificate of ${certificate}: ${inspected.fault}`);
        renew(next);
        current = next;
        logger.info('certificates renewed', {});
      });
    },
  };
};

/** @throws {PermanentError} naming the file and the variable that stands in for its flag. */
export const readPem = async (file: string, what: string, variable: string): Promise<string> => {
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    throw new PermanentError(`the ${what} ${file} (${variable}) cannot be read; check the name and its permissions`, {
      cause,
    });
  }
};
