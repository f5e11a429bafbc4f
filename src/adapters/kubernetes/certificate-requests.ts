import * as z from 'zod/mini';
import { ignoreNotFound, TransientError } from '../../core/errors.ts';
import type { CertificateRequest, CertificateRequestState, CertificateRequestsApi } from '../../ports/certificates.ts';
import type { KubernetesClient } from './kubernetes-client.ts';

const PATH = '/apis/certificates.k8s.io/v1/certificatesigningrequests';

const object = z.looseObject({
  metadata: z.looseObject({ name: z.string(), uid: z.string() }),
  spec: z.looseObject({ request: z.string(), signerName: z.string() }),
  status: z.optional(
    z.looseObject({
      certificate: z.optional(z.string()),
      conditions: z.optional(z.array(z.looseObject({ type: z.string(), message: z.optional(z.string()) }))),
    }),
  ),
});

/** CertificateSigningRequests of one API server. */
export const createCertificateRequestsApi = (client: KubernetesClient): CertificateRequestsApi => ({
  find: async (name, signal) => {
    const found = await ignoreNotFound(client.get(pathOf(name), { signal }));
    return found === undefined ? undefined : toRequest(found);
  },

  create: async ({ name, labels, signerName, request, usages }, signal) =>
    toRequest(
      await client.create(
        PATH,
        {
          apiVersion: 'certificates.k8s.io/v1',
          kind: 'CertificateSigningRequest',
          metadata: { name, labels },
          spec: { request: Buffer.from(request).toString('base64'), signerName, usages },
        },
        { signal },
      ),
    ),

  delete: async ({ name, uid }, signal) => {
    await ignoreNotFound(client.delete(pathOf(name), { signal, preconditions: { uid } }));
  },
});

const pathOf = (name: string): string => `${PATH}/${encodeURIComponent(name)}`;

const toRequest = (answer: unknown): CertificateRequest => {
  const parsed = object.safeParse(answer);
  if (!parsed.success) throw new TransientError('CertificateSigningRequest: an answer without name, UID or request');
  const { metadata, spec, status } = parsed.data;
  return {
    name: metadata.name,
    uid: metadata.uid,
    signerName: spec.signerName,
    request: Buffer.from(spec.request, 'base64').toString('utf8'),
    state: toState(status?.conditions ?? [], status?.certificate ?? ''),
  };
};

const toState = (
  conditions: readonly { readonly type: string; readonly message?: string | undefined }[],
  certificate: string,
): CertificateRequestState => {
  const said = (type: string): string | undefined => {
    const condition = conditions.find((one) => one.type === type);
    return condition && (condition.message ?? '');
  };
  const denied = said('Denied');
  if (denied !== undefined) return { kind: 'denied', message: denied };
  const failed = said('Failed');
  if (failed !== undefined) return { kind: 'failed', message: failed };
  if (certificate !== '') return { kind: 'issued', certificate: Buffer.from(certificate, 'base64').toString('utf8') };
  return { kind: said('Approved') === undefined ? 'pending' : 'approved' };
};
