import { describe, expect, it } from 'vitest';
import { DynamoPodStore } from '../../../../src/adapters/dynamodb/pod-store.ts';
import { type DocumentSender, Table } from '../../../../src/adapters/dynamodb/table.ts';
import type { Disposition } from '../../../../src/core/errors.ts';
import { dispositionOf } from '../../../../src/core/errors.ts';
import { FakeClock } from '../../../fakes/clock.ts';

/** A client that answers everything with one error. */
const failing = (name: string, message: string): DocumentSender => ({
  send: () => Promise.reject(Object.assign(new Error(message), { name })),
});

const errorOf = (name: string, message = 'because'): Promise<Error> => {
  const table = new Table(failing(name, message), 'svk-dev');
  const store = new DynamoPodStore({ table, clock: new FakeClock(), cluster: 'dev' });
  return store.get('a1').then(
    () => new Error('it did not fail'),
    (error: Error) => error,
  );
};

describe('errors of DynamoDB', () => {
  it.each<[string, string, Disposition]>([
    ['ThrottlingException', 'slow down', 'throttled'],
    ['ProvisionedThroughputExceededException', 'slow down', 'throttled'],
    ['RequestLimitExceeded', 'slow down', 'throttled'],
    ['SomethingElse', 'Rate exceeded', 'throttled'],
    ['InternalServerError', 'oops', 'transient'],
    ['TimeoutError', 'socket hang up', 'transient'],
    ['ExpiredTokenException', 'the security token expired', 'transient'],
    ['AccessDeniedException', 'not authorized', 'permanent'],
    ['ValidationException', 'no such attribute', 'permanent'],
    ['ResourceNotFoundException', 'Requested resource not found', 'permanent'],
  ])('%s (%s) is %s', async (name, message, disposition) => {
    expect(dispositionOf(await errorOf(name, message))).toBe(disposition);
  });

  it('name the row, the table and the original', async () => {
    const error = await errorOf('InternalServerError', 'oops');
    expect(error.message).toBe('could not read row POD#a1 of table svk-dev: InternalServerError: oops');
    expect(error.cause).toMatchObject({ name: 'InternalServerError' });
  });

  it('tell the operator what to do about a missing table', async () => {
    expect((await errorOf('ResourceNotFoundException')).message).toBe(
      'DynamoDB has no table (or index) svk-dev as expected here: deploy it, or correct SVK_TABLE or the region',
    );
  });
});
