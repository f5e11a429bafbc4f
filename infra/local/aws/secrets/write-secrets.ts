import * as z from 'zod/mini';
import { parseInput } from '../parse-input.ts';
import { AwsError, invalidParameter } from '../service-error.ts';
import { knownSecret, type SecretsContext, usableSecret } from './context.ts';
import { type Secret, type SecretVersion, withVersion } from './secret-store.ts';

const text = z.optional(z.string());
const value = { SecretString: text, SecretBinary: text, ClientRequestToken: text };
const maxBytes = 65_536;

/** CreateSecret: with a value it has its first version, AWSCURRENT. */
export const createSecret = (context: SecretsContext, input: unknown): unknown => {
  const schema = z.object({
    Name: text,
    Description: text,
    KmsKeyId: text,
    Tags: z.optional(z.array(z.object({ Key: z.string(), Value: z.string() }))),
    ...value,
  });
  const { Name: name = '', Description, KmsKeyId, Tags = [], ...given } = parseInput(schema, input);
  if (!/^[A-Za-z0-9/_+=.@-]{1,512}$/.test(name)) {
    throw invalidParameter(
      'Invalid name. Must be a valid name containing alphanumeric characters, or any of the following: -/_+=.@!',
    );
  }
  const existing = context.store.find(name);
  if (existing?.deletedAt !== undefined) {
    throw new AwsError(
      'InvalidRequestException',
      "You can't create this secret because a secret with this name is already scheduled for deletion.",
    );
  }
  if (existing) {
    throw new AwsError('ResourceExistsException', `The operation failed because the secret ${name} already exists.`);
  }
  const now = context.clock.now();
  const empty: Secret = {
    arn: context.store.newArn(name),
    name,
    ...(Description !== undefined && { description: Description }),
    ...(KmsKeyId !== undefined && { keyId: KmsKeyId }),
    createdAt: now,
    changedAt: now,
    tags: Tags,
    versions: [],
  };
  const version = versionFrom(context, given);
  context.store.put(version ? withVersion(empty, version) : empty);
  return { ARN: empty.arn, Name: name, ...(version && { VersionId: version.id }) };
};

/** PutSecretValue: the new version becomes AWSCURRENT. The same token with the same value changes nothing. */
export const putSecretValue = (context: SecretsContext, input: unknown): unknown => {
  const { SecretId, ...given } = parseInput(z.object({ SecretId: text, ...value }), input);
  const secret = usableSecret(context, SecretId);
  const version = versionFrom(context, given);
  if (!version) throw invalidParameter('You must provide either SecretString or SecretBinary.');
  const known = secret.versions.find(({ id }) => id === version.id);
  if (known && JSON.stringify(known.value) !== JSON.stringify(version.value)) {
    throw new AwsError(
      'ResourceExistsException',
      "You can't use ClientRequestToken that was already used for another version.",
    );
  }
  if (!known) context.store.put(withVersion(secret, version));
  return { ARN: secret.arn, Name: secret.name, VersionId: version.id, VersionStages: known?.stages ?? ['AWSCURRENT'] };
};

/** DeleteSecret: unreadable at once, gone after the window, or at once where it is forced. */
export const deleteSecret = (context: SecretsContext, input: unknown): unknown => {
  const schema = z.object({
    SecretId: text,
    RecoveryWindowInDays: z.optional(z.int()),
    ForceDeleteWithoutRecovery: z.optional(z.boolean()),
  });
  const { SecretId, RecoveryWindowInDays: days, ForceDeleteWithoutRecovery: force } = parseInput(schema, input);
  if (force && days !== undefined) {
    throw invalidParameter("You can't use ForceDeleteWithoutRecovery in conjunction with RecoveryWindowInDays.");
  }
  if (days !== undefined && (days < 7 || days > 30)) {
    throw invalidParameter('The RecoveryWindowInDays value must be between 7 and 30 days (inclusive).');
  }
  const secret = knownSecret(context, SecretId);
  const now = context.clock.now();
  if (force) context.store.remove(secret.name);
  else context.store.put({ ...secret, deletedAt: secret.deletedAt ?? now });
  const dueAt = force ? now : now + (days ?? 30) * 86_400_000;
  return { ARN: secret.arn, Name: secret.name, DeletionDate: dueAt / 1000 };
};

interface Given {
  readonly SecretString?: string | undefined;
  readonly SecretBinary?: string | undefined;
  readonly ClientRequestToken?: string | undefined;
}

const versionFrom = (context: SecretsContext, given: Given): Omit<SecretVersion, 'stages'> | undefined => {
  const { SecretString: string, SecretBinary: binary, ClientRequestToken: token } = given;
  if (string !== undefined && binary !== undefined) {
    throw invalidParameter("You can't specify both SecretString and SecretBinary.");
  }
  const content = string === undefined ? binary && { bytes: binary } : { text: string };
  if (!content) return undefined;
  if (Buffer.byteLength(string ?? binary ?? '') > maxBytes) {
    throw invalidParameter(`The secret value is longer than ${maxBytes} bytes.`);
  }
  return { id: token ?? context.random.uuid(), value: content, createdAt: context.clock.now() };
};
