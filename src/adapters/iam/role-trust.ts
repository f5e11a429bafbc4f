import { GetRoleCommand, IAMClient } from '@aws-sdk/client-iam';
import * as z from 'zod/mini';
import { PermanentError } from '../../core/errors.ts';
import { awsError } from '../aws/errors.ts';

const oneOrMore = z.union([z.string(), z.array(z.string())]);
const trust = z.looseObject({
  Statement: z.array(
    z.looseObject({
      Effect: z.string(),
      Principal: z.optional(z.union([z.string(), z.looseObject({ Service: z.optional(oneOrMore) })])),
    }),
  ),
});

/**
 * Services that may take this role; undefined where there is no such role. `endpoint`: another address than AWS's.
 * @throws {PermanentError} where the caller may not ask.
 */
export const readRoleTrust = async (
  arn: string,
  options: { readonly region: string; readonly endpoint?: string },
  signal: AbortSignal,
): Promise<readonly string[] | undefined> => {
  const client = new IAMClient({ ...options, maxAttempts: 3 });
  const RoleName = arn.split('/').at(-1) ?? arn;
  try {
    const { Role } = await client.send(new GetRoleCommand({ RoleName }), { abortSignal: signal });
    return Role === undefined ? undefined : servicesOf(Role.AssumeRolePolicyDocument ?? '', arn);
  } catch (error) {
    if (error instanceof Error && error.name === 'NoSuchEntityException') return undefined;
    throw awsError(error, { doing: `read role ${arn}` });
  } finally {
    client.destroy();
  }
};

/** IAM gives the document percent-encoded (RFC 3986). */
const servicesOf = (document: string, arn: string): readonly string[] => {
  let json: unknown;
  try {
    json = JSON.parse(decodeURIComponent(document));
  } catch (cause) {
    throw new PermanentError(`the trust policy of role ${arn} is not JSON`, { cause });
  }
  const { Statement } = trust.parse(json);
  return Statement.filter(({ Effect }) => Effect === 'Allow').flatMap(({ Principal }) => {
    const services = typeof Principal === 'object' ? (Principal.Service ?? []) : [];
    return typeof services === 'string' ? [services] : services;
  });
};
