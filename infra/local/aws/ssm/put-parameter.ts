import * as z from 'zod/mini';
import { parseInput } from '../parse-input.ts';
import { AwsError } from '../service-error.ts';
import type { SsmContext } from './context.ts';
import type { Parameter } from './parameter-store.ts';

const text = z.optional(z.string());
const schema = z.object({
  Name: text,
  Description: text,
  Value: text,
  Type: text,
  KeyId: text,
  Overwrite: z.optional(z.boolean()),
  AllowedPattern: text,
  Tags: z.optional(z.array(z.object({ Key: z.string(), Value: z.string() }))),
  Tier: text,
  DataType: text,
});

const invalid = (message: string): AwsError => new AwsError('ValidationException', message);

/** PutParameter: Intelligent-Tiering takes the advanced tier above 4 KB; an advanced parameter never goes back. */
export const putParameter = (context: SsmContext, input: unknown): unknown => {
  const request = parseInput(schema, input);
  const { Name: name = '', Value: value = '', Overwrite: overwrite = false, Tags: tags = [] } = request;
  checkName(context, name);
  const existing = context.store.find(name);
  if (existing && !overwrite) {
    throw new AwsError(
      'ParameterAlreadyExists',
      'The parameter already exists. To overwrite this value, set the overwrite option in the request to true.',
    );
  }
  if (overwrite && tags.length > 0) {
    throw invalid(
      "Invalid request: tags and overwrite can't be used together. To create a parameter with tags, please remove overwrite flag. To update tags for an existing parameter, please use AddTagsToResource or RemoveTagsFromResource.",
    );
  }
  const type = typeOf(request.Type, existing);
  if (value === '') throw invalid("1 validation error detected: Value '' at 'value' failed to satisfy constraint");
  if (request.AllowedPattern !== undefined && !new RegExp(request.AllowedPattern).test(value)) {
    throw new AwsError('ParameterPatternMismatchException', 'Parameter value does not match the allowed pattern.');
  }
  const tier = tierOf(request.Tier ?? 'Standard', value, existing);
  const keyId = type === 'SecureString' ? (request.KeyId ?? 'alias/aws/ssm') : undefined;
  const parameter: Parameter = {
    name,
    type,
    value,
    version: (existing?.version ?? 0) + 1,
    tier,
    ...(keyId !== undefined && { keyId }),
    ...(request.Description !== undefined && { description: request.Description }),
    dataType: request.DataType ?? 'text',
    modifiedAt: context.clock.now(),
    tags: existing?.tags ?? tags,
  };
  context.store.put(parameter);
  return { Version: parameter.version, Tier: tier };
};

const checkName = (context: SsmContext, name: string): void => {
  if (!/^[A-Za-z0-9_.\-/]+$/.test(name)) {
    throw invalid('Parameter name must contain only letters, numbers and the symbols . - _ /.');
  }
  if (name.includes('/') && !name.startsWith('/')) throw invalid('Parameter name must be a fully qualified name.');
  if (name.endsWith('/') || name.includes('//')) throw invalid('Parameter name must not have empty parts.');
  if (/^\/?(aws|ssm)/i.test(name)) {
    throw invalid('Parameter name: can\'t be prefixed with "ssm" or "aws" (case-insensitive).');
  }
  if (context.store.arnOf(name).length > 1011)
    throw invalid('Parameter name is too long: at most 1011 characters with its ARN.');
  if (name.split('/').length - 1 > 15) {
    throw new AwsError('HierarchyLevelLimitExceededException', 'A hierarchy can have at most 15 levels.');
  }
};

const typeOf = (type: string | undefined, existing: Parameter | undefined): Parameter['type'] => {
  if (type === undefined) {
    if (existing) return existing.type;
    throw invalid('A parameter type is required when you create a parameter.');
  }
  if (type === 'String' || type === 'StringList' || type === 'SecureString') return type;
  throw new AwsError('UnsupportedParameterType', `The parameter type '${type}' is not supported.`);
};

const tierOf = (asked: string, value: string, existing: Parameter | undefined): Parameter['tier'] => {
  const bytes = Buffer.byteLength(value);
  if (!['Standard', 'Advanced', 'Intelligent-Tiering'].includes(asked))
    throw invalid(`Unknown parameter tier '${asked}'.`);
  if (bytes > 8192) {
    throw invalid('Advanced tier parameters support a maximum parameter value of 8192 characters.');
  }
  if (asked === 'Standard') {
    if (bytes > 4096) {
      throw invalid(
        'Standard tier parameters support a maximum parameter value of 4096 characters. To create a larger parameter value, upgrade the parameter to use the advanced-parameter tier. For more information, see https://docs.aws.amazon.com/systems-manager/latest/userguide/parameter-store-advanced-parameters.html',
      );
    }
    if (existing?.tier === 'Advanced') {
      throw invalid(
        "This parameter uses the advanced-parameter tier. You can't downgrade a parameter from the advanced-parameter tier to the standard-parameter tier.",
      );
    }
    return 'Standard';
  }
  return asked === 'Advanced' || bytes > 4096 || existing?.tier === 'Advanced' ? 'Advanced' : 'Standard';
};
