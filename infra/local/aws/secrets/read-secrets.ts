import * as z from 'zod/mini';
import { pageOf } from '../paging.ts';
import { parseInput } from '../parse-input.ts';
import { AwsError } from '../service-error.ts';
import { knownSecret, type SecretsContext, usableSecret } from './context.ts';
import { type Secret, versionOf } from './secret-store.ts';

const text = z.optional(z.string());

/** GetSecretValue: of AWSCURRENT unless a version or another label is named. */
export const getSecretValue = (context: SecretsContext, input: unknown): unknown => {
  const request = parseInput(z.object({ SecretId: text, VersionId: text, VersionStage: text }), input);
  const secret = usableSecret(context, request.SecretId);
  const version = versionOf(secret, request.VersionId, request.VersionStage);
  if (!version) {
    const which = request.VersionId
      ? `VersionId: ${request.VersionId}`
      : `staging label: ${request.VersionStage ?? 'AWSCURRENT'}`;
    throw new AwsError(
      'ResourceNotFoundException',
      `Secrets Manager can't find the specified secret value for ${which}`,
    );
  }
  return {
    ARN: secret.arn,
    Name: secret.name,
    VersionId: version.id,
    ...('text' in version.value ? { SecretString: version.value.text } : { SecretBinary: version.value.bytes }),
    VersionStages: version.stages,
    CreatedDate: version.createdAt / 1000,
  };
};

/** DescribeSecret: everything but the value. */
export const describeSecret = (context: SecretsContext, input: unknown): unknown => {
  const { SecretId } = parseInput(z.object({ SecretId: text }), input);
  return shapeOf(knownSecret(context, SecretId));
};

/** ListSecrets: by name; the filter `name` takes prefixes. Those that wait for their removal are left out. */
export const listSecrets = (context: SecretsContext, input: unknown): unknown => {
  const schema = z.object({
    Filters: z.optional(z.array(z.object({ Key: z.string(), Values: z.array(z.string()) }))),
    MaxResults: z.optional(z.int()),
    NextToken: text,
  });
  const { Filters = [], MaxResults = 100, NextToken } = parseInput(schema, input);
  const names = Filters.map(({ Key, Values }) => {
    if (Key !== 'name') throw new AwsError('InvalidParameterException', `The local cloud has no filter '${Key}'.`);
    return Values;
  });
  const chosen = context.store
    .all()
    .filter(
      ({ deletedAt, name }) => deletedAt === undefined && names.every((some) => some.some((it) => name.startsWith(it))),
    );
  const page = pageOf(chosen, NextToken, MaxResults);
  if (!page) throw new AwsError('InvalidNextTokenException', 'The NextToken value is invalid.');
  return {
    SecretList: page.items.map(shapeOf),
    ...(page.nextToken !== undefined && { NextToken: page.nextToken }),
  };
};

const shapeOf = (secret: Secret): Record<string, unknown> => ({
  ARN: secret.arn,
  Name: secret.name,
  ...(secret.description !== undefined && { Description: secret.description }),
  ...(secret.keyId !== undefined && { KmsKeyId: secret.keyId }),
  CreatedDate: secret.createdAt / 1000,
  LastChangedDate: secret.changedAt / 1000,
  ...(secret.deletedAt !== undefined && { DeletedDate: secret.deletedAt / 1000 }),
  Tags: secret.tags,
  VersionIdsToStages: Object.fromEntries(secret.versions.map(({ id, stages }) => [id, stages])),
});
