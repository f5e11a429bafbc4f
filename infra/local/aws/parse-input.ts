import * as z from 'zod/mini';
import { AwsError } from './service-error.ts';

/**
 * A request body as the service reads it: unknown members and nulls are ignored.
 * @throws {AwsError} SerializationException naming the member of a wrong type.
 */
export const parseInput = <Schema extends z.ZodMiniType>(schema: Schema, input: unknown): z.output<Schema> => {
  const result = z.safeParse(schema, withoutNulls(input ?? {}));
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  throw new AwsError('SerializationException', `${issue?.path.join('.') || 'body'}: ${issue?.message ?? 'unreadable'}`);
};

const withoutNulls = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.filter((item) => item !== null).map(withoutNulls);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => member !== null)
      .map(([key, member]) => [key, withoutNulls(member)]),
  );
};
