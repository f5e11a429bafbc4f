import * as z from 'zod/mini';
import { InvalidError } from '../core/errors.ts';
import type { PodWake } from '../model/messages.ts';
import type { Delayed } from '../ports/work-queue.ts';

const meta = z.looseObject({
  uid: z.optional(z.string()),
  name: z.optional(z.string()),
  namespace: z.optional(z.string()),
});

const object = z.nullish(
  z.looseObject({
    metadata: z.optional(meta),
    /** Of a pod. */
    spec: z.nullish(z.looseObject({ nodeName: z.optional(z.string()) })),
    /** Of a binding. */
    target: z.nullish(z.looseObject({ name: z.optional(z.string()) })),
  }),
);

const review = z.looseObject({
  apiVersion: z.literal('admission.k8s.io/v1'),
  kind: z.literal('AdmissionReview'),
  request: z.looseObject({
    uid: z.string(),
    operation: z.string(),
    resource: z.looseObject({ group: z.string(), resource: z.string() }),
    subResource: z.optional(z.string()),
    namespace: z.optional(z.string()),
    name: z.optional(z.string()),
    dryRun: z.nullish(z.boolean()),
    object,
    oldObject: object,
  }),
});

export type AdmissionRequest = z.infer<typeof review>['request'];

/** @throws {InvalidError} where the text is no AdmissionReview of `admission.k8s.io/v1`. */
export const parseAdmissionReview = (text: string): AdmissionRequest => {
  try {
    return review.parse(JSON.parse(text)).request;
  } catch (cause) {
    throw new InvalidError('the body must be an AdmissionReview of admission.k8s.io/v1', { cause });
  }
};

/** The only answer we give. */
export const allowed = ({ uid }: AdmissionRequest): string =>
  JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: { uid, allowed: true } });

/**
 * The wake an admitted request is worth, if any. The request is only a hint: it is admitted, not yet done, and whoever
 * has the secret may send one. It shows within milliseconds; the reason says what the pod is read again for.
 */
export const wakeOf = (request: AdmissionRequest, nodes: readonly string[]): Delayed | undefined => {
  if (request.dryRun === true || request.resource.group !== '' || request.resource.resource !== 'pods')
    return undefined;
  const { operation, subResource = '', object: given, oldObject } = request;
  if (operation === 'CREATE' && subResource === 'binding')
    return wake('bind', request, given, given?.target?.name, nodes);
  if (subResource !== '') return undefined;
  if (operation === 'CREATE') return wake('create', request, given, given?.spec?.nodeName, nodes);
  if (operation === 'DELETE') return wake('delete', request, oldObject, oldObject?.spec?.nodeName, nodes);
  return undefined;
};

const wake = (
  reason: PodWake['reason'],
  request: AdmissionRequest,
  about: z.infer<typeof object>,
  node: string | undefined,
  nodes: readonly string[],
): Delayed | undefined => {
  const uid = about?.metadata?.uid;
  const name = about?.metadata?.name ?? request.name;
  const namespace = about?.metadata?.namespace ?? request.namespace;
  if (!uid || !name || !namespace || node === undefined || !nodes.includes(node)) return undefined;
  return { message: { v: 1, kind: 'wake', reason, uid, namespace, name, node } };
};
