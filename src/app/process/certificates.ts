import { readFile } from 'node:fs/promises';
import { selfSigned } from '../../adapters/tls/self-signed.ts';
import type { Clock } from '../../core/clock.ts';
import { PermanentError } from '../../core/errors.ts';
import type { Kubernetes } from '../../ports/kubernetes.ts';
import type { Logger } from '../../ports/logger.ts';
import type { ServerCertificates } from '../../server/kubelet-server.ts';
import type { CertificateFiles } from './run-options.ts';

export interface CertificateOptions {
  readonly files: CertificateFiles;
  readonly nodeName: string;
  readonly nodeIp: string | undefined;
}

/**
 * The certificates of the kubelet API: those of the files, or one that nobody has signed, with a warning. Files are read
 * anew by every call.
 * @throws {PermanentError} naming the file that cannot be read.
 */
export const readCertificates = async (
  { files, nodeName, nodeIp }: CertificateOptions,
  { clock, logger }: { readonly clock: Clock; readonly logger: Logger },
): Promise<ServerCertificates> => {
  const { certificate, privateKey, clientAuthority } = files;
  const [cert, key, authority] = await Promise.all([
    readPem(certificate, 'certificate', 'APISERVER_CERT_LOCATION'),
    readPem(privateKey, 'private key', 'APISERVER_KEY_LOCATION'),
    readPem(clientAuthority, 'client CA', 'APISERVER_CA_CERT_LOCATION'),
  ]);
  const client = authority === undefined ? {} : { clientCertificateAuthority: authority };
  if (cert !== undefined && key !== undefined) return { certificate: cert, privateKey: key, ...client };
  logger.warn(
    'the kubelet API has a certificate that nobody has signed: an API server that checks kubelets will refuse it; give one by --tls-cert-file and --tls-private-key-file',
    { node: nodeName },
  );
  const names = [nodeName, 'localhost', '127.0.0.1', ...(nodeIp === undefined ? [] : [nodeIp])];
  return { ...selfSigned({ commonName: nodeName, names, now: clock.now() }), ...client };
};

/**
 * The CA of those who call kubelets, as the cluster publishes it for its extensions; undefined where it does not, or where
 * we may not read it.
 */
export const publishedClientAuthority = async (
  { sources }: Pick<Kubernetes, 'sources'>,
  { logger, signal }: { readonly logger: Logger; readonly signal: AbortSignal },
): Promise<string | undefined> => {
  const unknown = (error?: unknown): undefined => {
    logger.warn(
      'the CA of those who call kubelets is not known: the API server cannot prove who it is, and kubectl logs will be refused; name the CA by --client-ca-file',
      { error },
    );
    return undefined;
  };
  try {
    const { data } = await sources.configMap('kube-system', 'extension-apiserver-authentication', signal);
    return data?.['client-ca-file'] ?? unknown();
  } catch (error) {
    return unknown(error);
  }
};

const readPem = async (file: string | undefined, what: string, variable: string): Promise<string | undefined> => {
  if (file === undefined) return undefined;
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    throw new PermanentError(`the ${what} ${file} (${variable}) cannot be read; check the name and its permissions`, {
      cause,
    });
  }
};
