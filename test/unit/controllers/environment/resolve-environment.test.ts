import { describe, expect, it } from 'vitest';
import type { EnvironmentSources } from '../../../../src/controllers/pod/environment/environment-sources.ts';
import { resolveEnvironment } from '../../../../src/controllers/pod/environment/resolve-environment.ts';
import type { Container, Pod } from '../../../../src/model/kubernetes.ts';

const podWith = (container: Partial<Container>, spec: Partial<Pod['spec']> = {}): Pod => ({
  metadata: {
    name: 'web-0',
    namespace: 'shop',
    uid: 'uid-1',
    labels: { tier: 'backend' },
    annotations: { 'build.example.com/id': '4711' },
  },
  spec: {
    serviceAccountName: 'reader',
    containers: [{ name: 'main', image: 'app:1', ...container }],
    ...spec,
  },
});

const sourcesWith = (sources: Partial<EnvironmentSources> = {}): EnvironmentSources => ({
  node: 'fargate',
  configMaps: {},
  secrets: {},
  services: [],
  ...sources,
});

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const found = <T>(object: T): { readonly kind: 'found'; readonly object: T } => ({ kind: 'found', object });

const values = (container: Partial<Container>, sources: Partial<EnvironmentSources> = {}): Record<string, string> =>
  Object.fromEntries(
    (resolveEnvironment(podWith(container), sourcesWith(sources)).environment.main?.env ?? []).map(
      ({ name, value }) => [name, value],
    ),
  );

describe('order', () => {
  const services = [
    { metadata: { name: 'db', namespace: 'shop' }, spec: { clusterIP: '10.1.2.3', ports: [{ port: 5432 }] } },
  ];

  it('lets env beat envFrom, later envFrom sources beat earlier ones, and both beat service variables', () => {
    const container: Partial<Container> = {
      envFrom: [{ configMapRef: { name: 'one' } }, { configMapRef: { name: 'two' } }],
      env: [
        { name: 'C', value: 'env' },
        { name: 'DB_SERVICE_HOST', value: 'mine' },
      ],
    };
    const configMaps = {
      one: found({ data: { A: 'one', B: 'one', C: 'one' } }),
      two: found({ data: { B: 'two', C: 'two' } }),
    };
    const all = values(container, { configMaps, services });
    expect([all.A, all.B, all.C, all.DB_SERVICE_HOST, all.DB_SERVICE_PORT]).toEqual([
      'one',
      'two',
      'env',
      'mine',
      '5432',
    ]);
  });

  it('lets the last of equal names win', () => {
    const env = [
      { name: 'A', value: '1' },
      { name: 'A', value: '2' },
    ];
    expect(values({ env })).toEqual({ A: '2' });
  });

  it('expands from what stands before, and keeps what comes later as it is', () => {
    const env = [
      { name: 'EARLY', value: 'e$(LATE)' },
      { name: 'LATE', value: 'l$(EARLY)' },
      { name: 'ESCAPED', value: '$$(EARLY)' },
      { name: 'SERVICE', value: '$(DB_PORT)' },
    ];
    expect(values({ env }, { services })).toMatchObject({
      EARLY: 'e$(LATE)',
      LATE: 'le$(LATE)',
      ESCAPED: '$(EARLY)',
      SERVICE: 'tcp://10.1.2.3:5432',
    });
  });
});

describe('command and args', () => {
  it('expands them from everything and says how guarded each word is', () => {
    const container: Partial<Container> = {
      env: [
        { name: 'PLAIN', value: 'p' },
        { name: 'ME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
        { name: 'PW', valueFrom: { secretKeyRef: { name: 'keys', key: 'pw' } } },
        { name: 'URL', value: 'db://$(PW)@$(ME)' },
      ],
      command: ['run', '$(PLAIN)', '$(UNKNOWN)'],
      args: ['--me=$(ME)-$(PLAIN)', '--url=$(URL)', '$$(ME)'],
    };
    const { environment } = resolveEnvironment(
      podWith(container),
      sourcesWith({ secrets: { keys: found({ data: { pw: base64('s3cret') } }) } }),
    );
    expect(environment.main).toEqual({
      env: [
        { name: 'PLAIN', value: 'p', origin: 'template' },
        { name: 'ME', value: 'web-0', origin: 'identity' },
        { name: 'PW', value: 's3cret', origin: 'secret', secret: { name: 'keys', key: 'pw' } },
        { name: 'URL', value: 'db://s3cret@web-0', origin: 'secret', secret: { name: 'keys', key: 'pw' } },
      ],
      command: [
        { value: 'run', origin: 'template' },
        { value: 'p', origin: 'template' },
        { value: '$(UNKNOWN)', origin: 'template' },
      ],
      args: [
        { value: '--me=web-0-p', origin: 'identity' },
        { value: '--url=db://s3cret@web-0', origin: 'secret', variables: ['URL'] },
        { value: '$(ME)', origin: 'template' },
      ],
    });
  });

  it('leaves them out where the pod does', () => {
    const { environment } = resolveEnvironment(podWith({ command: [] }), sourcesWith());
    expect(environment.main).toEqual({ env: [] });
  });
});

describe('field references', () => {
  it.each([
    ['metadata.name', 'web-0', 'identity'],
    ['metadata.namespace', 'shop', 'template'],
    ['metadata.uid', 'uid-1', 'identity'],
    ["metadata.labels['tier']", 'backend', 'identity'],
    ["metadata.labels['absent']", '', 'identity'],
    ["metadata.annotations['build.example.com/id']", '4711', 'identity'],
    ['metadata.labels', 'tier="backend"', 'identity'],
    ['spec.nodeName', 'fargate', 'identity'],
    ['spec.serviceAccountName', 'reader', 'template'],
  ])('%s is %s', (fieldPath, value, origin) => {
    const pod = podWith({ env: [{ name: 'X', valueFrom: { fieldRef: { fieldPath } } }] });
    expect(resolveEnvironment(pod, sourcesWith()).environment.main?.env).toEqual([{ name: 'X', value, origin }]);
  });

  it('refuses addresses, and all that is made of them, by variable', () => {
    const pod = podWith({
      env: [
        { name: 'POD_IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } },
        { name: 'HOST_IP', valueFrom: { fieldRef: { fieldPath: 'status.hostIP' } } },
        { name: 'SELF_URL', value: 'http://$(POD_IP):8080' },
      ],
      args: ['--listen=$(POD_IP)'],
    });
    const { problems, environment } = resolveEnvironment(pod, sourcesWith());
    expect(problems.map(({ field, message }) => [field, message.split(',')[0]])).toEqual([
      ['spec.containers[0].env[0].valueFrom.fieldRef.fieldPath', 'POD_IP needs status.podIP'],
      ['spec.containers[0].env[1].valueFrom.fieldRef.fieldPath', 'HOST_IP needs status.hostIP'],
      ['spec.containers[0].env[2].value', 'SELF_URL needs $(POD_IP)'],
      ['spec.containers[0].args[0]', 'the command line needs $(POD_IP)'],
    ]);
    expect(problems.every(({ message }) => message.includes('svk.dev/late-env'))).toBe(true);
    expect(environment.main?.env).toEqual([]);
  });

  it('refuses fields no variable can show', () => {
    const pod = podWith({ env: [{ name: 'X', valueFrom: { fieldRef: { fieldPath: 'status.phase' } } }] });
    expect(resolveEnvironment(pod, sourcesWith()).problems).toEqual([
      {
        field: 'spec.containers[0].env[0].valueFrom.fieldRef.fieldPath',
        message: 'X takes its value from status.phase, which no variable can show',
      },
    ]);
  });
});

describe('resource references', () => {
  const resources = { requests: { cpu: '250m', memory: '256Mi' }, limits: { cpu: '1', memory: '512Mi' } };
  const allocatable = { cpu: '2', memory: '4Gi', 'ephemeral-storage': '20Gi' };

  it.each([
    { resource: 'limits.cpu', value: '1' },
    { resource: 'requests.cpu', value: '1' },
    { resource: 'requests.cpu', divisor: '1m', value: '250' },
    { resource: 'limits.memory', divisor: '1Mi', value: '512' },
    { resource: 'limits.memory', divisor: '1G', value: '1' },
    { resource: 'requests.memory', value: '268435456' },
    { resource: 'requests.ephemeral-storage', value: '0' },
    { resource: 'limits.ephemeral-storage', divisor: '1Gi', value: '20' },
    { resource: 'limits.cpu', divisor: '0', value: '1' },
  ])('$resource by $divisor is $value', ({ resource, divisor, value }) => {
    const reference = { resource, ...(divisor && { divisor }) };
    const env = [{ name: 'X', valueFrom: { resourceFieldRef: reference } }];
    expect(values({ env, resources }, { allocatable })).toEqual({ X: value });
  });

  it('takes a limit that is not given from the sandbox, and refuses it where that is unknown', () => {
    const env = [{ name: 'PROCS', valueFrom: { resourceFieldRef: { resource: 'limits.cpu' } } }];
    expect(values({ env }, { allocatable })).toEqual({ PROCS: '2' });
    expect(resolveEnvironment(podWith({ env }), sourcesWith()).problems).toEqual([
      {
        field: 'spec.containers[0].env[0].valueFrom.resourceFieldRef.resource',
        message: 'PROCS shows limits.cpu of container "main": set that limit',
      },
    ]);
  });

  it('refuses a container the pod has not', () => {
    const env = [{ name: 'X', valueFrom: { resourceFieldRef: { containerName: 'other', resource: 'limits.cpu' } } }];
    expect(resolveEnvironment(podWith({ env }), sourcesWith()).problems.map(({ field }) => field)).toEqual([
      'spec.containers[0].env[0].valueFrom.resourceFieldRef.containerName',
    ]);
  });
});

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

it('does not change what it is given', () => {
  const pod = podWith({ env: [{ name: 'A', value: '$(B)' }], args: ['$(A)'] });
  const before = structuredClone(pod);
  resolveEnvironment(pod, sourcesWith());
  expect(pod).toEqual(before);
});
