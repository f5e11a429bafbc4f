import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import * as x509 from '@peculiar/x509';
import { parse, stringify } from 'yaml';
import * as z from 'zod/mini';
import { credentialsFromKubeconfig } from '../../src/adapters/kubernetes/credentials-from-kubeconfig.ts';
import { KubernetesClient } from '../../src/adapters/kubernetes/kubernetes-client.ts';
import { SystemClock } from '../../src/adapters/system/system-clock.ts';

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const REQUESTS = '/apis/certificates.k8s.io/v1/certificatesigningrequests';
const BINDINGS = '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings';
const ISSUED_WITHIN_MS = 30_000;

const kubeconfigSchema = z.looseObject({ clusters: z.array(z.unknown()) });
const requestSchema = z.looseObject({ status: z.optional(z.looseObject({ certificate: z.optional(z.string()) })) });

/**
 * Writes a kubeconfig for a user of its own, with a client certificate that the cluster has signed and every right, beside
 * the administrator's. What the user asks for can then be told apart in an audit log. Answers its path. The cluster needs
 * its controllers.
 */
export const userKubeconfig = async (
  { kubeconfig, folder }: { readonly kubeconfig: string; readonly folder: string },
  user: string,
): Promise<string> => {
  const client = new KubernetesClient(await credentialsFromKubeconfig(kubeconfig), { clock: new SystemClock() });
  try {
    const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
    const certificate = await sign(client, user, keys);
    const { signal } = new AbortController();
    await client.create(
      BINDINGS,
      {
        metadata: { name: `test-${user}` },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
        subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user }],
      },
      { signal },
    );
    const key = x509.PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey), 'PRIVATE KEY');
    const target = path.join(folder, `${user}.kubeconfig`);
    await writeFile(target, await configFor(kubeconfig, user, { certificate, key: base64(key) }), { mode: 0o600 });
    return target;
  } finally {
    client.close();
  }
};

/** The certificate, PEM in base64 as kubeconfigs hold it. */
const sign = async (client: KubernetesClient, user: string, keys: webcrypto.CryptoKeyPair): Promise<string> => {
  const { signal } = new AbortController();
  const name = `test-${user}`;
  const request = await x509.Pkcs10CertificateRequestGenerator.create({
    name: `CN=${user}`,
    keys,
    signingAlgorithm: ALGORITHM,
  });
  await client.create(
    REQUESTS,
    {
      metadata: { name },
      spec: {
        request: base64(request.toString('pem')),
        signerName: 'kubernetes.io/kube-apiserver-client',
        usages: ['client auth'],
      },
    },
    { signal },
  );
  const approved = { type: 'Approved', status: 'True', reason: 'Test', message: 'asked for by a test' };
  await client.patch(`${REQUESTS}/${name}/approval`, 'merge', { status: { conditions: [approved] } }, { signal });
  for (const until = Date.now() + ISSUED_WITHIN_MS; Date.now() < until; await delay(50)) {
    const { status } = requestSchema.parse(await client.get(`${REQUESTS}/${name}`, { signal }));
    if (status?.certificate !== undefined) return status.certificate;
  }
  throw new Error(`no certificate for ${user} after 30 s: does kube-controller-manager run?`);
};

const configFor = async (
  kubeconfig: string,
  user: string,
  { certificate, key }: { readonly certificate: string; readonly key: string },
): Promise<string> => {
  const { clusters } = kubeconfigSchema.parse(parse(await readFile(kubeconfig, 'utf8')));
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters,
    users: [{ name: user, user: { 'client-certificate-data': certificate, 'client-key-data': key } }],
    contexts: [{ name: user, context: { cluster: 'default', user } }],
    'current-context': user,
  });
};

const base64 = (text: string): string => Buffer.from(text).toString('base64');
