import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Random } from '../../../src/core/clock.ts';
import type { UserInfo } from './access/user.ts';
import type { KubernetesObject } from './model/object.ts';
import type { DeleteOptions } from './objects/delete-options.ts';

const TIMEOUT_MS = 2_000;
const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/** Who asked, and whether it is only a rehearsal. */
export interface Occasion {
  readonly user: UserInfo;
  readonly isDryRun: boolean;
}

interface Review {
  readonly kind: GroupKind;
  readonly subResource?: string;
  readonly operation: 'CREATE' | 'DELETE';
  readonly object: object | null;
  readonly oldObject: object | null;
  readonly options: object;
  readonly metadata: KubernetesObject['metadata'];
}

interface GroupKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

const POD: GroupKind = { group: '', version: 'v1', kind: 'Pod' };
const RESOURCE = { group: '', version: 'v1', resource: 'pods' };

/**
 * Calls one validating webhook, as a cluster with our ValidatingWebhookConfiguration calls it: on the binding of a
 * pod, on the creation of a pod that names its node, on every deletion of a pod with a node. Two seconds at most, and
 * its failure or absence changes nothing (`failurePolicy: Ignore`); the product's webhook always allows, so its answer
 * is not looked at.
 */
export class AdmissionWebhook {
  readonly #random: Random;
  readonly #url: () => string | undefined;

  constructor(url: () => string | undefined, random: Random) {
    this.#url = url;
    this.#random = random;
  }

  podBound(pod: KubernetesObject, binding: object, occasion: Occasion): Promise<void> {
    return this.#review(occasion, {
      kind: { group: '', version: 'v1', kind: 'Binding' },
      subResource: 'binding',
      operation: 'CREATE',
      object: binding,
      oldObject: null,
      options: { kind: 'CreateOptions', apiVersion: 'meta.k8s.io/v1' },
      metadata: pod.metadata,
    });
  }

  podCreated(pod: KubernetesObject, occasion: Occasion): Promise<void> {
    return this.#review(occasion, {
      kind: POD,
      operation: 'CREATE',
      object: pod,
      oldObject: null,
      options: { kind: 'CreateOptions', apiVersion: 'meta.k8s.io/v1' },
      metadata: pod.metadata,
    });
  }

  podDeleted(pod: KubernetesObject, occasion: Occasion, options: DeleteOptions): Promise<void> {
    const { gracePeriodSeconds, preconditions } = options;
    return this.#review(occasion, {
      kind: POD,
      operation: 'DELETE',
      object: null,
      oldObject: pod,
      options: { kind: 'DeleteOptions', apiVersion: 'meta.k8s.io/v1', gracePeriodSeconds, preconditions },
      metadata: pod.metadata,
    });
  }

  async #review({ user, isDryRun }: Occasion, review: Review): Promise<void> {
    const url = this.#url();
    if (url === undefined) return;
    const { kind, subResource, operation, object, oldObject, options, metadata } = review;
    const request = {
      uid: this.#random.uuid(),
      kind,
      resource: RESOURCE,
      ...(subResource === undefined ? {} : { subResource }),
      requestKind: kind,
      requestResource: RESOURCE,
      ...(subResource === undefined ? {} : { requestSubResource: subResource }),
      name: metadata.name,
      namespace: metadata.namespace,
      operation,
      userInfo: user,
      object,
      oldObject,
      dryRun: isDryRun,
      options,
    };
    await post(new URL(url), JSON.stringify({ kind: 'AdmissionReview', apiVersion: 'admission.k8s.io/v1', request }));
  }
}

/** Resolves in every case: with an answer, a failure or after the time-out. */
const post = (url: URL, body: string): Promise<void> =>
  new Promise((resolve) => {
    const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
    const request = send(url, {
      method: 'POST',
      agent: false,
      signal: AbortSignal.timeout(TIMEOUT_MS),
      headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
      rejectUnauthorized: !LOOPBACK.includes(url.hostname),
    });
    request.on('response', (response) => {
      response.on('error', () => resolve());
      response.on('close', () => resolve());
      response.resume();
    });
    request.on('error', () => resolve());
    request.end(body);
  });
