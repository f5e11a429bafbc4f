import * as z from 'zod/mini';
import { TransientError } from '../../core/errors.ts';
import type { AccessApi, UserInfo } from '../../ports/kubernetes.ts';
import type { KubernetesClient } from './kubernetes-client.ts';

const tokenReview = z.looseObject({
  status: z.looseObject({
    authenticated: z.optional(z.boolean()),
    user: z.optional(
      z.looseObject({
        username: z.optional(z.string()),
        uid: z.optional(z.string()),
        groups: z.optional(z.array(z.string())),
        extra: z.optional(z.record(z.string(), z.array(z.string()))),
      }),
    ),
  }),
});

const accessReview = z.looseObject({
  status: z.looseObject({ allowed: z.boolean(), denied: z.optional(z.boolean()) }),
});

/** Asks the API server who a token is, and what a user may do. What it does not plainly grant is refused. */
export const createAccessApi = (client: KubernetesClient): AccessApi => ({
  reviewToken: async (token, signal) => {
    const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec: { token } };
    const answer = tokenReview.safeParse(
      await client.create('/apis/authentication.k8s.io/v1/tokenreviews', body, { signal }),
    );
    if (!answer.success) throw new TransientError('TokenReview: an answer without status');
    const { authenticated, user } = answer.data.status;
    return authenticated && user?.username ? toUserInfo({ ...user, username: user.username }) : undefined;
  },

  reviewAccess: async (user, attributes, signal) => {
    const spec = {
      user: user.username,
      groups: user.groups,
      ...(user.uid && { uid: user.uid }),
      ...(user.extra && { extra: user.extra }),
      resourceAttributes: { group: '', version: 'v1', ...attributes },
    };
    const body = { apiVersion: 'authorization.k8s.io/v1', kind: 'SubjectAccessReview', spec };
    const answer = accessReview.safeParse(
      await client.create('/apis/authorization.k8s.io/v1/subjectaccessreviews', body, { signal }),
    );
    if (!answer.success) throw new TransientError('SubjectAccessReview: an answer without status');
    return answer.data.status.allowed && !answer.data.status.denied;
  },
});

const toUserInfo = (user: {
  readonly username: string;
  readonly uid?: string | undefined;
  readonly groups?: readonly string[] | undefined;
  readonly extra?: Readonly<Record<string, readonly string[]>> | undefined;
}): UserInfo => ({
  username: user.username,
  groups: user.groups ?? [],
  ...(user.uid !== undefined && { uid: user.uid }),
  ...(user.extra && { extra: user.extra }),
});
