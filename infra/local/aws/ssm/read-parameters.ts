import * as z from 'zod/mini';
import { pageOf } from '../paging.ts';
import { parseInput } from '../parse-input.ts';
import { AwsError } from '../service-error.ts';
import type { SsmContext } from './context.ts';
import { cipherOf, type Parameter } from './parameter-store.ts';

const decryption = { WithDecryption: z.optional(z.boolean()) };
const paging = { MaxResults: z.optional(z.int()), NextToken: z.optional(z.string()) };

/** GetParameter, also by ARN. */
export const getParameter = (context: SsmContext, input: unknown): unknown => {
  const request = parseInput(z.object({ Name: z.optional(z.string()), ...decryption }), input);
  const parameter = context.store.find(request.Name ?? '');
  if (!parameter) throw notFound();
  return { Parameter: shapeOf(context, parameter, request.WithDecryption) };
};

/** GetParameters: at most 10; unknown names are listed as invalid, not an error. */
export const getParameters = (context: SsmContext, input: unknown): unknown => {
  const request = parseInput(z.object({ Names: z.optional(z.array(z.string())), ...decryption }), input);
  const names = checkedNames(request.Names);
  const found = names.map((name) => ({ name, parameter: context.store.find(name) }));
  return {
    Parameters: found.flatMap(({ parameter }) =>
      parameter ? [shapeOf(context, parameter, request.WithDecryption)] : [],
    ),
    InvalidParameters: found.flatMap(({ name, parameter }) => (parameter ? [] : [name])),
  };
};

/** GetParametersByPath: one level unless `Recursive`. */
export const getParametersByPath = (context: SsmContext, input: unknown): unknown => {
  const schema = z.object({
    Path: z.optional(z.string()),
    Recursive: z.optional(z.boolean()),
    ...decryption,
    ...paging,
  });
  const { Path = '', Recursive = false, WithDecryption, MaxResults = 10, NextToken } = parseInput(schema, input);
  if (!Path.startsWith('/')) throw invalid("The parameter path must begin with '/'.");
  if (MaxResults < 1 || MaxResults > 10) throw invalid('MaxResults must be between 1 and 10.');
  const prefix = Path.endsWith('/') ? Path : `${Path}/`;
  const below = context.store
    .all()
    .filter(({ name }) => name.startsWith(prefix) && (Recursive || !name.slice(prefix.length).includes('/')));
  const page = pageOf(below, NextToken, MaxResults);
  if (!page) throw new AwsError('InvalidNextToken', 'The specified token is not valid.');
  return {
    Parameters: page.items.map((parameter) => shapeOf(context, parameter, WithDecryption)),
    ...(page.nextToken !== undefined && { NextToken: page.nextToken }),
  };
};

const filterSchema = z.object({
  Key: z.string(),
  Option: z.optional(z.string()),
  Values: z.optional(z.array(z.string())),
});

/** DescribeParameters: never shows values. Filters: Name (Equals, BeginsWith, Contains), Type, Path. */
export const describeParameters = (context: SsmContext, input: unknown): unknown => {
  const schema = z.object({ ParameterFilters: z.optional(z.array(filterSchema)), ...paging });
  const { ParameterFilters = [], MaxResults = 50, NextToken } = parseInput(schema, input);
  if (MaxResults < 1 || MaxResults > 50) throw invalid('MaxResults must be between 1 and 50.');
  const chosen = context.store
    .all()
    .filter((parameter) => ParameterFilters.every((filter) => passes(filter, parameter)));
  const page = pageOf(chosen, NextToken, MaxResults);
  if (!page) throw new AwsError('InvalidNextToken', 'The specified token is not valid.');
  return {
    Parameters: page.items.map(({ name, type, keyId, description, version, tier, dataType, modifiedAt }) => ({
      Name: name,
      ARN: context.store.arnOf(name),
      Type: type,
      ...(keyId !== undefined && { KeyId: keyId }),
      ...(description !== undefined && { Description: description }),
      Version: version,
      Tier: tier,
      DataType: dataType,
      LastModifiedDate: modifiedAt / 1000,
      Policies: [],
    })),
    ...(page.nextToken !== undefined && { NextToken: page.nextToken }),
  };
};

const passes = (
  { Key, Option = 'Equals', Values = [] }: z.output<typeof filterSchema>,
  parameter: Parameter,
): boolean => {
  switch (Key) {
    case 'Name':
      return Values.some((value) => {
        if (Option === 'BeginsWith') return parameter.name.startsWith(value);
        return Option === 'Contains' ? parameter.name.includes(value) : parameter.name === value;
      });
    case 'Path':
      return Values.some((value) => parameter.name.startsWith(value.endsWith('/') ? value : `${value}/`));
    case 'Type':
      return Values.includes(parameter.type);
    default:
      throw new AwsError('InvalidFilterKey', `The local Parameter Store has no filter '${Key}'.`);
  }
};

/** DeleteParameter. */
export const deleteParameter = (context: SsmContext, input: unknown): unknown => {
  const { Name = '' } = parseInput(z.object({ Name: z.optional(z.string()) }), input);
  if (!context.store.remove(Name)) throw notFound();
  return {};
};

/** DeleteParameters: at most 10; unknown names are listed as invalid. */
export const deleteParameters = (context: SsmContext, input: unknown): unknown => {
  const names = checkedNames(parseInput(z.object({ Names: z.optional(z.array(z.string())) }), input).Names);
  const results = names.map((name) => ({ name, removed: context.store.remove(name) }));
  return {
    DeletedParameters: results.filter(({ removed }) => removed).map(({ name }) => name),
    InvalidParameters: results.filter(({ removed }) => !removed).map(({ name }) => name),
  };
};

const checkedNames = (names: readonly string[] = []): readonly string[] => {
  if (names.length >= 1 && names.length <= 10) return names;
  throw invalid("1 validation error detected: 'names' must have length between 1 and 10");
};

const invalid = (message: string): AwsError => new AwsError('ValidationException', message);

/** Parameter Store says it without a message. */
const notFound = (): AwsError => new AwsError('ParameterNotFound', '');

const shapeOf = (context: SsmContext, parameter: Parameter, decrypted = false): Record<string, unknown> => ({
  Name: parameter.name,
  Type: parameter.type,
  Value: parameter.type === 'SecureString' && !decrypted ? cipherOf(parameter) : parameter.value,
  Version: parameter.version,
  LastModifiedDate: parameter.modifiedAt / 1000,
  ARN: context.store.arnOf(parameter.name),
  DataType: parameter.dataType,
});
