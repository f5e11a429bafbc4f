import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import {
  DeleteCommand,
  type DynamoDBDocumentClient,
  GetCommand,
  QueryCommand,
  ScanCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { PermanentError, type SvkError } from '../../core/errors.ts';
import { awsError } from '../aws/errors.ts';
import { SCHEMA_VERSION } from './schema.ts';

/** What we need of the SDK's document client. */
export type DocumentSender = Pick<DynamoDBDocumentClient, 'send'>;

export type Item = Readonly<Record<string, unknown>>;

/** An expression's `#name` stands for the attribute `name`, unless `names` says otherwise. */
interface Expressions {
  readonly condition?: string;
  readonly names?: Readonly<Record<string, string>>;
  readonly values?: Readonly<Record<string, unknown>>;
}

export interface Update extends Expressions {
  readonly update: string;
  readonly returns?: 'ALL_OLD' | 'ALL_NEW';
}

/** `ok: false`: the condition was not met and nothing was written. That is normal flow, not an error. */
export type Written = { readonly ok: true; readonly item: Item | undefined } | { readonly ok: false };

/**
 * One table with the key `pk`: a request a method (a page each for `query` and `scan`), SDK errors translated, rows of
 * a newer layout refused.
 */
export class Table {
  readonly name: string;
  readonly #client: DocumentSender;

  constructor(client: DocumentSender, name: string) {
    this.#client = client;
    this.name = name;
  }

  /** Strongly consistent. @throws {PermanentError} for a row of a newer layout. */
  async get(pk: string): Promise<Item | undefined> {
    try {
      const { Item } = await this.#client.send(
        new GetCommand({ TableName: this.name, Key: { pk }, ConsistentRead: true }),
      );
      return checked(pk, Item);
    } catch (error) {
      throw this.#translated(error, `read row ${pk}`);
    }
  }

  async update(pk: string, { update, condition, values, names, returns }: Update): Promise<Written> {
    try {
      const { Attributes } = await this.#client.send(
        new UpdateCommand({
          TableName: this.name,
          Key: { pk },
          UpdateExpression: update,
          ...(condition !== undefined && { ConditionExpression: condition }),
          ...aliases([update, condition], names),
          ...(values && { ExpressionAttributeValues: values }),
          ...(returns && { ReturnValues: returns }),
        }),
      );
      return { ok: true, item: checked(pk, Attributes) };
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) return { ok: false };
      throw this.#translated(error, `update row ${pk}`);
    }
  }

  async delete(pk: string, { condition, values, names }: Expressions = {}): Promise<Written> {
    try {
      await this.#client.send(
        new DeleteCommand({
          TableName: this.name,
          Key: { pk },
          ...(condition !== undefined && { ConditionExpression: condition }),
          ...aliases([condition], names),
          ...(values && { ExpressionAttributeValues: values }),
        }),
      );
      return { ok: true, item: undefined };
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) return { ok: false };
      throw this.#translated(error, `delete row ${pk}`);
    }
  }

  /** Items of one partition of an index, in its order, at most `limit`. Eventually consistent. */
  async query(
    index: string,
    condition: string,
    values: Readonly<Record<string, unknown>>,
    limit = Number.POSITIVE_INFINITY,
  ): Promise<readonly Item[]> {
    const items: Item[] = [];
    let start: Record<string, unknown> | undefined;
    try {
      do {
        const page = await this.#client.send(
          new QueryCommand({
            TableName: this.name,
            IndexName: index,
            KeyConditionExpression: condition,
            ...aliases([condition]),
            ExpressionAttributeValues: values,
            ...(Number.isFinite(limit) && { Limit: limit - items.length }),
            ...(start && { ExclusiveStartKey: start }),
          }),
        );
        items.push(...(page.Items ?? []));
        start = page.LastEvaluatedKey;
      } while (start && items.length < limit);
    } catch (error) {
      throw this.#translated(error, `query index ${index}`);
    }
    return items;
  }

  /** Every row that meets `filter`. Reads (and costs) the whole table: for the collector only. */
  async *scan(filter: string, values: Readonly<Record<string, unknown>>): AsyncIterable<Item> {
    let start: Record<string, unknown> | undefined;
    do {
      const page = await this.#scanPage(filter, values, start);
      yield* page.items;
      start = page.next;
    } while (start);
  }

  async #scanPage(
    filter: string,
    values: Readonly<Record<string, unknown>>,
    start: Record<string, unknown> | undefined,
  ): Promise<{ readonly items: readonly Item[]; readonly next: Record<string, unknown> | undefined }> {
    try {
      const page = await this.#client.send(
        new ScanCommand({
          TableName: this.name,
          FilterExpression: filter,
          ...aliases([filter]),
          ExpressionAttributeValues: values,
          ...(start && { ExclusiveStartKey: start }),
        }),
      );
      return { items: page.Items ?? [], next: page.LastEvaluatedKey };
    } catch (error) {
      throw this.#translated(error, 'scan');
    }
  }

  #translated(error: unknown, doing: string): SvkError {
    return awsError(error, {
      doing: `${doing} of table ${this.name}`,
      missing: `DynamoDB has no table (or index) ${this.name} as expected here: deploy it, or correct SVK_TABLE or the region`,
    });
  }
}

const aliases = (
  expressions: readonly (string | undefined)[],
  names: Readonly<Record<string, string>> = {},
): { readonly ExpressionAttributeNames?: Record<string, string> } => {
  const used = expressions.flatMap((expression) => expression?.match(/#\w+/g) ?? []);
  return used.length === 0
    ? {}
    : { ExpressionAttributeNames: Object.fromEntries(used.map((alias) => [alias, names[alias] ?? alias.slice(1)])) };
};

const checked = (pk: string, item: Item | undefined): Item | undefined => {
  const version = item?.['schemaVersion'];
  if (typeof version === 'number' && version > SCHEMA_VERSION) {
    throw new PermanentError(
      `row ${pk} has schemaVersion ${version}, this code knows ${SCHEMA_VERSION}: deploy the newer version everywhere`,
    );
  }
  return item;
};
