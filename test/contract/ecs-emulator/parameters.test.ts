import {
  DeleteParameterCommand,
  DeleteParametersCommand,
  DescribeParametersCommand,
  GetParameterCommand,
  GetParametersByPathCommand,
  GetParametersCommand,
  PutParameterCommand,
  type PutParameterCommandInput,
  type SSMClient,
} from '@aws-sdk/client-ssm';
import { describe, expect, it } from 'vitest';
import { refusal, startWorld } from './harness.ts';

const put = async (ssm: SSMClient, changes: Partial<PutParameterCommandInput> = {}): Promise<unknown> => {
  const { Version, Tier } = await ssm.send(
    new PutParameterCommand({ Name: '/svk/a', Value: 'secret', Type: 'SecureString', ...changes }),
  );
  return { Version, Tier };
};

describe('Parameter Store', () => {
  it('shows a SecureString only when decrypted', async () => {
    const { ssm } = await startWorld();
    await put(ssm);
    const closed = await ssm.send(new GetParameterCommand({ Name: '/svk/a' }));
    const open = await ssm.send(new GetParameterCommand({ Name: '/svk/a', WithDecryption: true }));
    expect(closed.Parameter?.Value).not.toContain('secret');
    expect(open.Parameter).toMatchObject({
      Name: '/svk/a',
      Type: 'SecureString',
      Value: 'secret',
      Version: 1,
      ARN: 'arn:aws:ssm:eu-central-1:123456789012:parameter/svk/a',
      LastModifiedDate: new Date('2030-01-01T00:00:00Z'),
    });
  });

  it('overwrites only when told to, and counts versions', async () => {
    const { ssm } = await startWorld();
    await put(ssm);
    expect(await refusal(put(ssm))).toBe(
      'ParameterAlreadyExists: The parameter already exists. To overwrite this value, set the overwrite option in the request to true.',
    );
    expect(await put(ssm, { Overwrite: true, Value: 'new' })).toEqual({ Version: 2, Tier: 'Standard' });
    expect(await refusal(put(ssm, { Overwrite: true, Tags: [{ Key: 'a', Value: 'b' }] }))).toMatch(
      /^ValidationException: Invalid request: tags and overwrite can't be used together/,
    );
  });

  it('takes 4 KB in the standard tier, 8 KB with Intelligent-Tiering, and never goes back', async () => {
    const { ssm } = await startWorld();
    expect(await refusal(put(ssm, { Value: 'x'.repeat(4097) }))).toMatch(
      /^ValidationException: Standard tier parameters support a maximum parameter value of 4096 characters/,
    );
    const tiering = { Tier: 'Intelligent-Tiering' as const, Overwrite: true };
    expect(await put(ssm, { ...tiering, Value: 'x'.repeat(4096) })).toEqual({ Version: 1, Tier: 'Standard' });
    expect(await put(ssm, { ...tiering, Value: 'x'.repeat(8192) })).toEqual({ Version: 2, Tier: 'Advanced' });
    expect(await put(ssm, { ...tiering, Value: 'small' })).toEqual({ Version: 3, Tier: 'Advanced' });
    expect(await refusal(put(ssm, { Overwrite: true, Value: 'small' }))).toMatch(
      /^ValidationException: This parameter uses the advanced-parameter tier/,
    );
    expect(await refusal(put(ssm, { ...tiering, Value: 'x'.repeat(8193) }))).toMatch(/^ValidationException/);
  });

  it.each([
    { name: 'a b', error: /must contain only letters/ },
    { name: 'a/b', error: /must be a fully qualified name/ },
    { name: '/aws/x', error: /can't be prefixed with "ssm" or "aws"/ },
    { name: `/${'a/'.repeat(15)}b`, error: /at most 15 levels/ },
  ])('refuses the name $name', async ({ name, error }) => {
    const { ssm } = await startWorld();
    expect(await refusal(put(ssm, { Name: name }))).toMatch(error);
  });

  it('lists unknown names as invalid, and takes at most ten', async () => {
    const { ssm } = await startWorld();
    await put(ssm);
    const answer = await ssm.send(new GetParametersCommand({ Names: ['/svk/a', '/svk/b'], WithDecryption: true }));
    expect([answer.Parameters?.map(({ Value }) => Value), answer.InvalidParameters]).toEqual([['secret'], ['/svk/b']]);
    const eleven = Array.from({ length: 11 }, (_, n) => `/svk/${n}`);
    expect(await refusal(ssm.send(new GetParametersCommand({ Names: eleven })))).toMatch(/^ValidationException/);
  });

  it('reads by path, one level or all, in pages', async () => {
    const { ssm } = await startWorld();
    for (const Name of ['/svk/x/1', '/svk/x/2', '/svk/x/y/3', '/svkx/4']) await put(ssm, { Name });
    const read = async (options: object): Promise<readonly unknown[]> =>
      ((await ssm.send(new GetParametersByPathCommand({ Path: '/svk/x', ...options }))).Parameters ?? []).map(
        ({ Name }) => Name,
      );
    expect(await read({})).toEqual(['/svk/x/1', '/svk/x/2']);
    expect(await read({ Recursive: true })).toEqual(['/svk/x/1', '/svk/x/2', '/svk/x/y/3']);
    const first = await ssm.send(new GetParametersByPathCommand({ Path: '/svk/x', MaxResults: 1 }));
    expect(await read({ MaxResults: 1, NextToken: first.NextToken })).toEqual(['/svk/x/2']);
  });

  it('describes without values', async () => {
    const { ssm } = await startWorld();
    for (const Name of ['/svk/a', '/other/b']) await put(ssm, { Name });
    const answer = await ssm.send(
      new DescribeParametersCommand({
        ParameterFilters: [{ Key: 'Name', Option: 'BeginsWith', Values: ['/svk/'] }],
      }),
    );
    expect(answer.Parameters).toMatchObject([{ Name: '/svk/a', Type: 'SecureString', KeyId: 'alias/aws/ssm' }]);
    expect(JSON.stringify(answer.Parameters)).not.toContain('secret');
  });

  it('deletes', async () => {
    const { ssm } = await startWorld();
    await put(ssm);
    await put(ssm, { Name: '/svk/b' });
    await ssm.send(new DeleteParameterCommand({ Name: '/svk/a' }));
    expect(await refusal(ssm.send(new DeleteParameterCommand({ Name: '/svk/a' })))).toMatch(/^ParameterNotFound/);
    const answer = await ssm.send(new DeleteParametersCommand({ Names: ['/svk/a', '/svk/b'] }));
    expect([answer.DeletedParameters, answer.InvalidParameters]).toEqual([['/svk/b'], ['/svk/a']]);
  });
});
