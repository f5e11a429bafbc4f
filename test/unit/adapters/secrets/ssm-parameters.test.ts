import type { GetParameterCommandInput, SSMClient } from '@aws-sdk/client-ssm';
import { describe, expect, it } from 'vitest';
import { SsmParameters } from '../../../../src/adapters/secrets/ssm-parameters.ts';
import { dispositionOf } from '../../../../src/core/errors.ts';
import { FakeClock } from '../../../fakes/clock.ts';

const signal = new AbortController().signal;

/** Parameters that answer their name and how often they were read; `fail` makes the next read fail. */
const parameterStore = () => {
  const state = { inputs: [] as GetParameterCommandInput[], fail: undefined as string | undefined };
  const send = async ({ input }: { readonly input: GetParameterCommandInput }) => {
    state.inputs.push(input);
    const name = state.fail;
    state.fail = undefined;
    if (name !== undefined) throw Object.assign(new Error('because'), { name });
    return { Parameter: { Value: `${input.Name}:${state.inputs.length}` } };
  };
  const clock = new FakeClock();
  const client = { send } as unknown as Pick<SSMClient, 'send'>;
  return { state, clock, parameters: new SsmParameters({ client, clock, ttlMs: 60_000 }) };
};

describe('SsmParameters', () => {
  it('reads decrypted, and again only when the value is old', async () => {
    const { state, clock, parameters } = parameterStore();
    expect(await parameters.get('/svk/a', signal)).toBe('/svk/a:1');
    await clock.advance(59_999);
    expect(await parameters.get('/svk/a', signal)).toBe('/svk/a:1');
    await clock.advance(1);
    expect(await parameters.get('/svk/a', signal)).toBe('/svk/a:2');
    expect(state.inputs[0]).toEqual({ Name: '/svk/a', WithDecryption: true });
  });

  it('decrypts again only what has changed', async () => {
    const inputs: (boolean | undefined)[] = [];
    const parameter = { Value: 'one', Version: 1 };
    const send = async ({ input }: { readonly input: GetParameterCommandInput }) => {
      inputs.push(input.WithDecryption);
      return { Parameter: { ...parameter, Value: input.WithDecryption ? parameter.Value : 'AQICAH…' } };
    };
    const client = { send } as unknown as Pick<SSMClient, 'send'>;
    const clock = new FakeClock();
    const parameters = new SsmParameters({ client, clock, ttlMs: 60_000 });
    expect(await parameters.get('/svk/a', signal)).toBe('one');
    await clock.advance(60_000);
    expect(await parameters.get('/svk/a', signal)).toBe('one');
    expect(inputs).toEqual([true, false]);
    Object.assign(parameter, { Value: 'two', Version: 2 });
    expect(await parameters.get('/svk/a', signal)).toBe('one');
    expect(await parameters.reread('/svk/a', signal)).toBe('two');
    expect(inputs).toEqual([true, false, false, true]);
  });

  it('asks once for callers that come together', async () => {
    const { state, parameters } = parameterStore();
    await Promise.all([parameters.get('/svk/a', signal), parameters.get('/svk/a', signal)]);
    expect(state.inputs).toHaveLength(1);
  });

  it('reads again on demand, for everybody', async () => {
    const { parameters } = parameterStore();
    await parameters.get('/svk/a', signal);
    expect(await parameters.reread('/svk/a', signal)).toBe('/svk/a:2');
    expect(await parameters.get('/svk/a', signal)).toBe('/svk/a:2');
  });

  it('does not keep a failure', async () => {
    const { state, parameters } = parameterStore();
    state.fail = 'InternalServerError';
    await expect(parameters.get('/svk/a', signal)).rejects.toThrow('could not read SSM parameter /svk/a');
    expect(await parameters.get('/svk/a', signal)).toBe('/svk/a:2');
  });

  it.each([
    ['ParameterNotFound', 'permanent'],
    ['AccessDeniedException', 'permanent'],
    ['ThrottlingException', 'throttled'],
    ['InternalServerError', 'transient'],
  ])('%s is %s', async (name, disposition) => {
    const { state, parameters } = parameterStore();
    state.fail = name;
    const error: unknown = await parameters.get('/svk/a', signal).catch((reason: unknown) => reason);
    expect(dispositionOf(error)).toBe(disposition);
  });

  it('names a missing parameter and the fix', async () => {
    const { state, parameters } = parameterStore();
    state.fail = 'ParameterNotFound';
    await expect(parameters.get('/svk/a', signal)).rejects.toThrow(
      'there is no SSM parameter /svk/a: store it as a SecureString, or correct its name and the region',
    );
  });
});
