import { invalid } from '../model/field-error.ts';
import {
  isObject,
  type JsonObject,
  type KubernetesObject,
  listOf,
  objectOf,
  textOf,
  withoutUndefined,
} from '../model/object.ts';
import { badRequest, invalidObject } from '../model/status.ts';
import { readObject } from '../requests/body.ts';
import { type Exchange, respond } from '../requests/exchange.ts';
import { writeOptions } from '../requests/options.ts';
import type { ResourceRoute } from '../requests/route.ts';
import { formatTime } from '../values/time.ts';
import type { Authenticator } from './authenticate.ts';
import { type Attributes, isAllowed } from './authorize.ts';
import { ISSUER } from './service-account-tokens.ts';
import type { UserInfo } from './user.ts';

/** A resource that only answers a POST. */
export interface ReviewDefinition {
  readonly group: string;
  readonly version: 'v1';
  readonly resource: string;
  readonly kind: string;
  readonly isNamespaced: boolean;
  readonly type: string;
  readonly answer: (review: KubernetesObject, context: ReviewContext) => KubernetesObject;
}

interface ReviewContext {
  readonly user: UserInfo;
  readonly authenticator: Authenticator;
  readonly now: number;
  readonly namespace: string | undefined;
}

const AUTHENTICATION = 'authentication.k8s.io';
const AUTHORIZATION = 'authorization.k8s.io';

const review = (
  group: string,
  kind: string,
  answer: ReviewDefinition['answer'],
  isNamespaced = false,
): ReviewDefinition => ({
  group,
  version: 'v1',
  resource: `${kind.toLowerCase()}s`,
  kind,
  isNamespaced,
  type: `io.k8s.api.${group.split('.')[0]}.v1.${kind}`,
  answer,
});

const tokenReview: ReviewDefinition['answer'] = (object, { authenticator }) => {
  const spec = objectOf(object['spec']);
  const token = textOf(spec['token']) ?? '';
  if (token === '') throw badRequest('token is required for TokenReview in authentication');
  const known = authenticator.userOf(token);
  const wanted = listOf(spec['audiences']).map(String);
  const asked = wanted.length > 0 ? wanted : [ISSUER];
  const audiences =
    known?.audiences === undefined ? asked : asked.filter((audience) => known.audiences?.includes(audience));
  const status =
    known && audiences.length > 0
      ? { authenticated: true, user: known.user, audiences }
      : { user: {}, error: 'invalid bearer token' };
  return { ...object, metadata: {}, status };
};

const accessReview: ReviewDefinition['answer'] = (object, { namespace }) => {
  const spec = objectOf(object['spec']);
  const attributes = attributesOf(spec);
  const where = attributes.kind === 'resource' ? attributes.namespace : undefined;
  if (namespace !== undefined && where !== namespace) {
    throw badRequest(`spec.resourceAttributes.namespace must match namespace: ${namespace}`);
  }
  const user = { username: textOf(spec['user']) ?? '', groups: listOf(spec['groups']).map(String) };
  return { ...object, metadata: {}, status: { allowed: isAllowed(user, attributes) } };
};

const selfAccessReview: ReviewDefinition['answer'] = (object, { user }) => ({
  ...object,
  metadata: {},
  status: { allowed: isAllowed(user, attributesOf(objectOf(object['spec']))) },
});

const selfReview: ReviewDefinition['answer'] = (object, { user, now }) => ({
  ...object,
  metadata: { creationTimestamp: formatTime(now) },
  status: { userInfo: user },
});

const attributesOf = (spec: JsonObject): Attributes => {
  const { resourceAttributes, nonResourceAttributes } = spec;
  if (isObject(resourceAttributes) === isObject(nonResourceAttributes)) {
    throw invalidObject(AUTHORIZATION, '', '', [
      invalid(
        'spec.resourceAttributes',
        null,
        'exactly one of nonResourceAttributes or resourceAttributes must be specified',
      ),
    ]);
  }
  if (isObject(nonResourceAttributes)) {
    return {
      kind: 'path',
      verb: textOf(nonResourceAttributes['verb']) ?? '',
      path: textOf(nonResourceAttributes['path']) ?? '',
    };
  }
  const attributes = objectOf(resourceAttributes);
  return withoutUndefined<Attributes & { readonly kind: 'resource' }>({
    kind: 'resource',
    verb: textOf(attributes['verb']) ?? '',
    group: textOf(attributes['group']) ?? '',
    resource: textOf(attributes['resource']) ?? '',
    subresource: textOf(attributes['subresource']),
    namespace: textOf(attributes['namespace']),
    name: textOf(attributes['name']),
  });
};

export const reviews: readonly ReviewDefinition[] = [
  review(AUTHENTICATION, 'TokenReview', tokenReview),
  review(AUTHENTICATION, 'SelfSubjectReview', selfReview),
  review(AUTHORIZATION, 'SubjectAccessReview', accessReview),
  review(AUTHORIZATION, 'SelfSubjectAccessReview', selfAccessReview),
  review(AUTHORIZATION, 'LocalSubjectAccessReview', accessReview, true),
];

/** The review a route names. */
export const findReview = ({ group, version, resource }: ResourceRoute): ReviewDefinition | undefined =>
  reviews.find((known) => known.group === group && known.version === version && known.resource === resource);

/** POST of a review: nothing is stored, the answer is in its status. */
export const postReview = async (
  exchange: Exchange,
  definition: ReviewDefinition,
  namespace: string | undefined,
  authenticator: Authenticator,
): Promise<void> => {
  const { fieldValidation } = writeOptions(exchange.query, 'CreateOptions');
  const { object, warnings } = await readObject(exchange.request, definition, fieldValidation);
  const now = exchange.api.clock.now();
  const answer = definition.answer(object, { user: exchange.user, authenticator, now, namespace });
  respond(exchange, 201, answer, warnings);
};
