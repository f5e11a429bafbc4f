import { describe, expect, it } from 'vitest';
import { resolveEnvironment } from '../../../../src/controllers/pod/environment/resolve-environment.ts';
import type { Container } from '../../../../src/model/kubernetes.ts';
import { base64, found, podWith, sourcesWith, values } from './environment-harness.ts';

describe('references to what is not there', () => {
  const secretKey = (optional?: boolean): Partial<Container> => ({
    env: [
      { name: 'A', value: 'stays' },
      {
        name: 'TOKEN',
        valueFrom: { secretKeyRef: { name: 'keys', key: 'token', ...(optional !== undefined && { optional }) } },
      },
    ],
  });
  const configKey: Partial<Container> = {
    env: [{ name: 'LEVEL', valueFrom: { configMapKeyRef: { name: 'settings', key: 'level' } } }],
  };
  const bulk = (optional: boolean): Partial<Container> => ({
    envFrom: [{ secretRef: { name: 'keys', optional } }, { configMapRef: { name: 'settings', optional } }],
  });

  it.each([
    {
      what: 'a Secret',
      container: secretKey(),
      sources: {},
      waiting: 'secret "keys" not found',
      reasons: ['MandatorySecretNotFound'],
    },
    {
      what: 'a key of a Secret',
      container: secretKey(),
      sources: { secrets: { keys: found({ data: {} }) } },
      waiting: "couldn't find key token in Secret shop/keys",
      reasons: ['MandatorySecretKeyNotFound'],
    },
    {
      what: 'a configMap',
      container: configKey,
      sources: { configMaps: { settings: { kind: 'not-found' as const } } },
      waiting: 'configmap "settings" not found',
      reasons: ['MandatoryConfigMapNotFound'],
    },
    {
      what: 'a key of a configMap (binary data does not count)',
      container: configKey,
      sources: { configMaps: { settings: found({ binaryData: { level: base64('x') } }) } },
      waiting: "couldn't find key level in ConfigMap shop/settings",
      reasons: ['MandatoryConfigMapKeyNotFound'],
    },
    {
      what: 'the right to read a Secret',
      container: secretKey(),
      sources: { secrets: { keys: { kind: 'unreadable' as const, message: 'forbidden' } } },
      waiting: 'failed to read secret "keys": forbidden',
      reasons: ['FailedToReadMandatorySecret'],
    },
    {
      what: 'the sources of envFrom',
      container: bulk(false),
      sources: {},
      waiting: 'secret "keys" not found',
      reasons: ['MandatorySecretNotFound', 'MandatoryConfigMapNotFound'],
    },
  ])('wait for $what', ({ container, sources, waiting, reasons }) => {
    const resolution = resolveEnvironment(podWith(container), sourcesWith(sources));
    expect(resolution.waiting).toEqual([{ container: 'main', reason: 'CreateContainerConfigError', message: waiting }]);
    expect(resolution.events.map(({ reason }) => reason)).toEqual(reasons);
    expect(resolution.problems).toEqual([]);
  });

  it.each([
    { what: 'a Secret', container: secretKey(true), sources: {}, reasons: ['OptionalSecretNotFound'], names: ['A'] },
    {
      what: 'a key',
      container: secretKey(true),
      sources: { secrets: { keys: found({ data: {} }) } },
      reasons: ['OptionalSecretKeyNotFound'],
      names: ['A'],
    },
    {
      what: 'the right to read it',
      container: secretKey(true),
      sources: { secrets: { keys: { kind: 'unreadable' as const, message: 'forbidden' } } },
      reasons: ['FailedToReadOptionalSecret'],
      names: ['A'],
    },
    {
      what: 'a source of envFrom',
      container: bulk(true),
      sources: {},
      reasons: ['OptionalSecretNotFound', 'OptionalConfigMapNotFound'],
      names: [],
    },
  ])('skip $what where it is optional', ({ container, sources, reasons, names }) => {
    const resolution = resolveEnvironment(podWith(container), sourcesWith(sources));
    expect(resolution.waiting).toEqual([]);
    expect(resolution.events.map(({ reason }) => reason)).toEqual(reasons);
    expect(resolution.environment.main?.env.map(({ name }) => name)).toEqual(names);
  });

  it('names the variable it skips', () => {
    const { events } = resolveEnvironment(podWith(secretKey(true)), sourcesWith());
    expect(events).toEqual([
      { reason: 'OptionalSecretNotFound', message: 'skipping optional envvar "TOKEN": secret "keys" not found' },
    ]);
  });
});

describe('values and names', () => {
  it('passes values byte for byte', () => {
    const secrets = { keys: found({ data: { A: base64('value\r\n'), B: base64('\ufeffbom ü') } }) };
    expect(values({ envFrom: [{ prefix: 'K_', secretRef: { name: 'keys' } }] }, { secrets })).toEqual({
      K_A: 'value\r\n',
      K_B: '\ufeffbom ü',
    });
  });

  it('skips keys that make no name, sorted and in one event for each source, after the prefix', () => {
    const configMaps = { settings: found({ data: { '2b': 'x', '1a': 'x', 'feature.flag-x': 'on', OK: 'y' } }) };
    const envFrom = [{ configMapRef: { name: 'settings' } }, { prefix: 'P_', configMapRef: { name: 'settings' } }];
    const resolution = resolveEnvironment(podWith({ envFrom }), sourcesWith({ configMaps }));
    expect(resolution.environment.main?.env.map(({ name }) => name)).toEqual([
      'OK',
      'feature.flag-x',
      'P_1a',
      'P_2b',
      'P_OK',
      'P_feature.flag-x',
    ]);
    expect(resolution.events).toEqual([
      {
        reason: 'InvalidEnvironmentVariableNames',
        message: 'keys [1a, 2b] from configmap shop/settings were skipped: they are no valid variable names',
      },
    ]);
  });

  it('takes any printable name without = where the API server does', () => {
    const configMaps = { settings: found({ data: { '1a': 'x' } }) };
    const envFrom = [{ configMapRef: { name: 'settings' } }, { prefix: 'a=', configMapRef: { name: 'settings' } }];
    const resolution = resolveEnvironment(
      podWith({ envFrom }),
      sourcesWith({ configMaps, relaxedVariableNames: true }),
    );
    expect(resolution.environment.main?.env.map(({ name }) => name)).toEqual(['1a']);
  });

  it('skips a value of envFrom that is no text, and refuses one that was asked for', () => {
    const secrets = { keys: found({ data: { BIN: '/wABAg==', NUL: base64('a\0b'), OK: base64('ok') } }) };
    const container: Partial<Container> = {
      envFrom: [{ secretRef: { name: 'keys' } }],
      env: [{ name: 'B', valueFrom: { secretKeyRef: { name: 'keys', key: 'BIN' } } }],
    };
    const resolution = resolveEnvironment(podWith(container), sourcesWith({ secrets }));
    expect(resolution.environment.main?.env.map(({ name }) => name)).toEqual(['OK']);
    expect(resolution.events.map(({ reason, message }) => [reason, message.includes('[BIN, NUL]')])).toEqual([
      ['InvalidEnvironmentVariableValues', true],
    ]);
    expect(resolution.problems.map(({ field }) => field)).toEqual(['spec.containers[0].env[0].valueFrom.secretKeyRef']);
  });

  it('never puts a value into what it tells', () => {
    const secrets = { keys: found({ data: { PW: base64('hunter2'), BIN: base64('hunter2\0') } }) };
    const container: Partial<Container> = {
      envFrom: [{ prefix: '1', secretRef: { name: 'keys' } }, { secretRef: { name: 'keys' } }],
      env: [
        { name: 'X', valueFrom: { secretKeyRef: { name: 'keys', key: 'BIN' } } },
        { name: 'Y', valueFrom: { secretKeyRef: { name: 'keys', key: 'GONE' } } },
      ],
    };
    const { problems, events, waiting } = resolveEnvironment(podWith(container), sourcesWith({ secrets }));
    expect(problems.length + events.length + waiting.length).toBe(5);
    expect(JSON.stringify([problems, events, waiting])).not.toContain('hunter2');
  });
});
