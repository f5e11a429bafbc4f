import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ResolvedContainer, ResolvedVariable } from '../../../../src/model/environment.ts';
import type { Container, Pod, PodSpec } from '../../../../src/model/kubernetes.ts';
import type { Preparation } from '../../../../src/ports/provider.ts';
import type { FargateDeployment } from '../../../../src/providers/fargate/deployment.ts';
import { allocatableOf, preparePod } from '../../../../src/providers/fargate/prepare/prepare-pod.ts';
import type { FargatePrepared } from '../../../../src/providers/fargate/prepare/prepared.ts';
import { cheapestTaskSize } from '../../../../src/providers/fargate/prepare/task-size.ts';
import { aDeployment } from '../../../golden/a-deployment.ts';

interface Change {
  readonly container?: Partial<Container>;
  readonly spec?: Partial<PodSpec>;
  readonly metadata?: Partial<NonNullable<Pod['metadata']>>;
  readonly environment?: ResolvedContainer;
  readonly node?: string;
  readonly deployment?: Partial<FargateDeployment>;
}

const podOf = ({ container, spec, metadata }: Change): Pod => ({
  metadata: { name: 'web', namespace: 'shop', uid: 'uid-1', ...metadata },
  spec: { containers: [{ name: 'main', image: 'app:1', ...container }], ...spec },
});

const prepare = (change: Change = {}): Preparation<FargatePrepared> =>
  preparePod(
    podOf(change),
    { node: change.node ?? 'fargate', environment: { main: change.environment ?? { env: [] } } },
    aDeployment(change.deployment),
  );

const prepared = (change: Change = {}): FargatePrepared => {
  const preparation = prepare(change);
  if (!preparation.ok) throw new Error(JSON.stringify(preparation.problems));
  return preparation.prepared;
};

const definitionOf = (change: Change): Record<string, unknown> => ({
  ...prepared(change).definition.containerDefinitions?.[0],
});

const problemsOf = (change: Change): readonly (readonly [string, string])[] => {
  const preparation = prepare(change);
  return preparation.ok ? [] : preparation.problems.map(({ field, message }) => [field, message]);
};

const notesOf = (change: Change): readonly string[] => {
  const preparation = prepare(change);
  return preparation.ok ? preparation.notes.map(({ field }) => field) : ['refused'];
};

const variable = (name: string, value: string, origin: ResolvedVariable['origin'] = 'template'): ResolvedVariable => ({
  name,
  value,
  origin,
  ...(origin === 'secret' && { secret: { name: 'keys', key: name.toLowerCase() } }),
});

describe('task size', () => {
  it.each([
    { want: 'the smallest for nothing', cpu: 0, memory: 0, size: [256, 512] },
    { want: 'the smallest for all it holds', cpu: 256, memory: 512, size: [256, 512] },
    { want: 'more memory before more CPU', cpu: 256, memory: 1025, size: [256, 2048] },
    { want: 'more CPU when memory outgrows the row', cpu: 256, memory: 2049, size: [512, 3072] },
    { want: 'the row a little CPU more needs', cpu: 257, memory: 512, size: [512, 1024] },
    { want: 'much memory beside little CPU', cpu: 512, memory: 20_480, size: [4096, 20_480] },
    { want: 'steps of 4 GB for 8 vCPU', cpu: 8192, memory: 16_385, size: [8192, 20_480] },
    { want: 'steps of 8 GB for 16 vCPU', cpu: 8193, memory: 1, size: [16_384, 32_768] },
    { want: 'the largest', cpu: 16_384, memory: 122_880, size: [16_384, 122_880] },
    { want: 'what an executor asks for', cpu: 2048, memory: 4505, size: [2048, 5120] },
  ])('gives $want', ({ cpu, memory, size: [cpuUnits, memoryMiB] }) => {
    expect(cheapestTaskSize({ cpuUnits: cpu, memoryMiB: memory })).toEqual({ cpuUnits, memoryMiB });
  });

  it.each([
    [16_385, 1],
    [1, 122_881],
  ])('has none for %i units and %i MiB', (cpuUnits, memoryMiB) => {
    expect(cheapestTaskSize({ cpuUnits, memoryMiB })).toBeUndefined();
  });

  it('always holds what is needed', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 16_384 }), fc.integer({ min: 0, max: 122_880 }), (cpuUnits, memoryMiB) => {
        const size = cheapestTaskSize({ cpuUnits, memoryMiB });
        expect(size?.cpuUnits).toBeGreaterThanOrEqual(cpuUnits);
        expect(size?.memoryMiB).toBeGreaterThanOrEqual(memoryMiB);
      }),
    );
  });

  it('is told with its reason', () => {
    const resources = { requests: { cpu: '100m', memory: '600Mi' }, limits: { memory: '700Mi' } };
    expect(prepare({ container: { resources } })).toMatchObject({
      ok: true,
      summary: '0.25 vCPU, 1024 MiB: the cheapest task that holds 0.101 vCPU, 700 MiB',
    });
  });

  it('refuses what no task holds', () => {
    expect(problemsOf({ container: { resources: { requests: { cpu: '17' } } } })).toEqual([
      ['spec.containers[0].resources', '17 vCPU, 0 MiB: the largest task has 16 vCPU, 122880 MiB'],
    ]);
  });

  it('counts resources of the whole pod', () => {
    const spec = { resources: { limits: { cpu: '2', memory: '5Gi' } } };
    expect(prepared({ spec }).definition).toMatchObject({ cpu: '2048', memory: '5120' });
  });

  it('is what environment variables take for missing limits', () => {
    const resources = { requests: { cpu: '300m', 'ephemeral-storage': '30Gi' } };
    expect(allocatableOf(podOf({ container: { resources } }))).toEqual({
      cpu: '500m',
      memory: '1024Mi',
      'ephemeral-storage': '30Gi',
    });
    expect(allocatableOf(podOf({ container: { resources: { limits: { cpu: '64' } } } }))).toBeUndefined();
  });
});

describe('resources of a container', () => {
  it.each<[resources: Container['resources'], shares: object]>([
    [{}, {}],
    [
      { requests: { cpu: '100m', memory: '128974848' }, limits: { cpu: '1500m', memory: '129e6' } },
      { cpu: 103, memory: 124, memoryReservation: 123 },
    ],
    [
      { requests: { cpu: '0.5', memory: '0.9G' }, limits: { memory: '1.5Gi' } },
      { cpu: 512, memory: 1536, memoryReservation: 859 },
    ],
    [
      { requests: { cpu: '100m', memory: '128974848000m' }, limits: { cpu: '100m', memory: '128974848000m' } },
      { cpu: 103, memory: 123 },
    ],
    [{ requests: { cpu: '0', memory: '4Mi' } }, { memoryReservation: 6 }],
    [{ limits: { memory: '1Mi' } }, { memory: 6 }],
  ])('%j become %j', (resources, shares) => {
    const { cpu, memory, memoryReservation } = definitionOf({ container: resources ? { resources } : {} });
    expect({ cpu, memory, memoryReservation }).toEqual({
      cpu: undefined,
      memory: undefined,
      memoryReservation: undefined,
      ...shares,
    });
  });

  it.each([
    [{ limits: { 'nvidia.com/gpu': '1' } }, "spec.containers[0].resources.limits['nvidia.com/gpu']"],
    [{ requests: { 'hugepages-2Mi': '4Mi' } }, "spec.containers[0].resources.requests['hugepages-2Mi']"],
    [{ claims: [{ name: 'x' }] }, 'spec.containers[0].resources.claims'],
    [{ requests: { 'ephemeral-storage': '201Gi' } }, 'spec.containers[0].resources'],
    [{ requests: { memory: 'lots' } }, "spec.containers[0].resources.requests['memory']"],
  ])('%j are refused by name', (resources, field) => {
    expect(problemsOf({ container: { resources } }).map(([name]) => name)).toEqual([field]);
  });

  it.each([
    ['20Gi', undefined],
    ['20.5Gi', { sizeInGiB: 21 }],
    ['200Gi', { sizeInGiB: 200 }],
  ])('%s of ephemeral storage', (amount, ephemeralStorage) => {
    const resources = { requests: { 'ephemeral-storage': amount } };
    expect(prepared({ container: { resources } }).definition.ephemeralStorage).toEqual(ephemeralStorage);
  });
});

describe('container fields', () => {
  it.each<[what: string, change: Change, expected: object]>([
    ['user', { container: { securityContext: { runAsUser: 1000 } } }, { user: '1000' }],
    [
      'user and group',
      { container: { securityContext: { runAsUser: 1000, runAsGroup: 2000 } } },
      { user: '1000:2000' },
    ],
    ['user of the pod', { spec: { securityContext: { runAsUser: 0, runAsGroup: 5 } } }, { user: '0:5' }],
    [
      'the own user before the one of the pod',
      { container: { securityContext: { runAsUser: 7 } }, spec: { securityContext: { runAsUser: 1, runAsGroup: 5 } } },
      { user: '7:5' },
    ],
    [
      'read-only root',
      { container: { securityContext: { readOnlyRootFilesystem: true } } },
      { readonlyRootFilesystem: true },
    ],
    ['stdin', { container: { stdin: true } }, { interactive: true }],
    ['terminal', { container: { tty: true } }, { pseudoTerminal: true }],
    ['grace of nothing', { spec: { terminationGracePeriodSeconds: 0 } }, { stopTimeout: 2 }],
    ['grace by default', {}, { stopTimeout: 30 }],
    ['grace above the maximum', { spec: { terminationGracePeriodSeconds: 3600 } }, { stopTimeout: 120 }],
    [
      'ports, each once',
      {
        container: {
          ports: [{ containerPort: 53, protocol: 'UDP' }, { containerPort: 53 }, { containerPort: 53, name: 'again' }],
        },
      },
      {
        portMappings: [
          { containerPort: 53, protocol: 'udp' },
          { containerPort: 53, protocol: 'tcp' },
        ],
      },
    ],
    [
      'sysctls',
      { spec: { securityContext: { sysctls: [{ name: 'net.core.somaxconn', value: '1024' }] } } },
      { systemControls: [{ namespace: 'net.core.somaxconn', value: '1024' }] },
    ],
    [
      'capabilities to drop',
      { container: { securityContext: { capabilities: { drop: ['ALL'], add: ['SYS_PTRACE'] } } } },
      { linuxParameters: { capabilities: { add: ['SYS_PTRACE'], drop: ['ALL'] } } },
    ],
    [
      'all capabilities but one of the default set',
      { container: { securityContext: { capabilities: { drop: ['ALL'], add: ['NET_BIND_SERVICE'] } } } },
      {
        linuxParameters: {
          capabilities: {
            drop: [
              'AUDIT_WRITE',
              'CHOWN',
              'DAC_OVERRIDE',
              'FOWNER',
              'FSETID',
              'KILL',
              'MKNOD',
              'NET_RAW',
              'SETFCAP',
              'SETGID',
              'SETPCAP',
              'SETUID',
              'SYS_CHROOT',
            ],
          },
        },
      },
    ],
  ])('%s', (_what, change, expected) => {
    expect(definitionOf(change)).toMatchObject(expected);
  });

  it('adds nothing for capabilities that are there by default', () => {
    const securityContext = { capabilities: { add: ['CAP_CHOWN', 'net_bind_service'] } };
    expect(definitionOf({ container: { securityContext } })).not.toHaveProperty('linuxParameters');
  });

  it('shares processes where the pod wants it', () => {
    expect(prepared({ spec: { shareProcessNamespace: true } }).definition.pidMode).toBe('task');
  });
});

describe('refused by name', () => {
  it.each<[field: string, change: Change]>([
    ['spec.containers[0].securityContext.procMount', { container: { securityContext: { procMount: 'Unmasked' } } }],
    ['spec.containers[0].securityContext.runAsGroup', { container: { securityContext: { runAsGroup: 5 } } }],
    [
      'spec.containers[0].securityContext.runAsUser',
      { container: { securityContext: { runAsUser: 0, runAsNonRoot: true } } },
    ],
    [
      'spec.containers[0].securityContext.capabilities.add',
      { container: { securityContext: { capabilities: { add: ['NET_ADMIN'] } } } },
    ],
    [
      'spec.containers[0].securityContext.seccompProfile',
      { container: { securityContext: { seccompProfile: { type: 'Localhost' } } } },
    ],
    [
      'spec.containers[0].securityContext.appArmorProfile',
      { container: { securityContext: { appArmorProfile: { type: 'Localhost' } } } },
    ],
    [
      'spec.containers[0].securityContext.windowsOptions',
      { container: { securityContext: { windowsOptions: { hostProcess: true } } } },
    ],
    ['spec.securityContext.seLinuxOptions', { spec: { securityContext: { seLinuxOptions: { level: 's0' } } } }],
    [
      'spec.securityContext.sysctls[0].name',
      { spec: { securityContext: { sysctls: [{ name: 'vm.swappiness', value: '1' }] } } },
    ],
    [
      'spec.containers[0].lifecycle.postStart',
      { container: { lifecycle: { postStart: { exec: { command: ['x'] } } } } },
    ],
    ['spec.containers[0].ports[0].protocol', { container: { ports: [{ containerPort: 1, protocol: 'SCTP' }] } }],
    ['spec.containers[0].restartPolicyRules', { container: { restartPolicyRules: [{ action: 'Restart' }] } }],
    ['spec.containers[0].image', { container: { image: 'not an image' } }],
    ['spec.containers[0].image', { container: { image: `registry/${'x'.repeat(250)}` } }],
    ['spec.containers[0].name', { spec: { containers: [{ name: 'svk-anchor', image: 'x' }] } }],
    ['spec.runtimeClassName', { spec: { runtimeClassName: 'gvisor' } }],
    ['spec.os.name', { spec: { os: { name: 'windows' } } }],
    ['spec.resourceClaims', { spec: { resourceClaims: [{ name: 'gpu' }] } }],
    ["metadata.annotations['svk.dev/late-env']", { metadata: { annotations: { 'svk.dev/late-env': 'shell' } } }],
    ["metadata.annotations['svk.dev/task-role']", { metadata: { annotations: { 'svk.dev/task-role': 'x' } } }],
    ["metadata.annotations['svk.dev/api-access']", { metadata: { annotations: { 'svk.dev/api-access': 'true' } } }],
    ['spec.volumes[0].csi', { spec: { volumes: [{ name: 'v', csi: { driver: 'x' } }] } }],
    ['spec.nodeName', { node: 'unknown' }],
  ])('%s', (field, change) => {
    const problems = problemsOf(change);
    expect(problems.map(([name]) => name)).toEqual([field]);
    expect(problems[0]?.[1]).toMatch(/\w{3}/);
  });

  it.each(['fargate', undefined])('but not runtime class %s', (runtimeClassName) => {
    expect(problemsOf({ spec: runtimeClassName ? { runtimeClassName } : {} })).toEqual([]);
  });
});

describe('noted', () => {
  it.each<[field: string, change: Change]>([
    ['spec.hostname', { spec: { hostname: 'x' } }],
    ['spec.dnsPolicy', { spec: { dnsPolicy: 'None' } }],
    ['spec.dnsConfig', { spec: { dnsConfig: { nameservers: ['10.0.0.2'] } } }],
    ['spec.imagePullSecrets', { spec: { imagePullSecrets: [{ name: 'x' }] } }],
    ['spec.terminationGracePeriodSeconds', { spec: { terminationGracePeriodSeconds: 121 } }],
    ['spec.securityContext.fsGroup', { spec: { securityContext: { fsGroup: 1 } } }],
    ['spec.containers[0].imagePullPolicy', { container: { imagePullPolicy: 'Never' } }],
    ['spec.containers[0].terminationMessagePath', { container: { terminationMessagePath: '/tekton/termination' } }],
    ['spec.containers[0].securityContext.runAsNonRoot', { container: { securityContext: { runAsNonRoot: true } } }],
    ['spec.ephemeralContainers', { spec: { ephemeralContainers: [{ name: 'debug' }] } }],
    ['spec.fromTheFuture', { spec: { fromTheFuture: true } as Partial<PodSpec> }],
    ['spec.containers[0].fromTheFuture', { container: { fromTheFuture: 1 } as Partial<Container> }],
  ])('%s', (field, change) => {
    expect(notesOf(change)).toEqual([field]);
  });

  it('nothing where the pod has defaults only', () => {
    const spec: Partial<PodSpec> = {
      dnsPolicy: 'ClusterFirst',
      securityContext: {},
      terminationGracePeriodSeconds: 120,
      hostNetwork: false,
      shareProcessNamespace: false,
    };
    const container: Partial<Container> = {
      terminationMessagePath: '/dev/termination-log',
      securityContext: {
        allowPrivilegeEscalation: false,
        seccompProfile: { type: 'RuntimeDefault' },
        privileged: false,
      },
    };
    expect(notesOf({ spec, container })).toEqual([]);
  });
});

describe('automatic token volume', () => {
  const volumes = [
    { name: 'kube-api-access-x1y2z', projected: { sources: [{ serviceAccountToken: { path: 'token' } }] } },
  ];

  it('is left out silently for the ServiceAccount default', () => {
    const spec = { serviceAccountName: 'default', volumes };
    expect(notesOf({ spec })).toEqual([]);
    expect(prepared({ spec }).definition.volumes).toBeUndefined();
  });

  it('is refused for others, with the way out', () => {
    const [problem] = problemsOf({ spec: { serviceAccountName: 'reader', volumes } });
    expect(problem?.[0]).toBe('spec.volumes[0].projected');
    expect(problem?.[1]).toContain('automountServiceAccountToken: false');
  });

  it('is told from a token volume of the pod', () => {
    expect(problemsOf({ spec: { volumes: [{ ...volumes[0], name: 'vault-token' }] } })).toHaveLength(1);
  });
});

describe('sharing a definition', () => {
  const environment = (podName: string): ResolvedContainer => ({
    env: [variable('MODE', 'fast'), variable('POD_NAME', podName, 'identity'), variable('PW', 'hunter2', 'secret')],
    command: [
      { value: 'run', origin: 'template' },
      { value: `--name=${podName}`, origin: 'identity' },
    ],
    args: [{ value: '-v', origin: 'template' }],
  });

  it('puts what tells pods apart into overrides, the whole rest of the command line with it', () => {
    const one = prepared({ environment: environment('web-1'), metadata: { name: 'web-1' } });
    const two = prepared({ environment: environment('web-2'), metadata: { name: 'web-2' } });
    expect(two.definitionHash).toBe(one.definitionHash);
    expect(two.definition).toEqual(one.definition);
    expect(one.definition.family).toBe(`svk-dev-${one.definitionHash}`);
    expect(one.definition.containerDefinitions?.[0]).toMatchObject({
      entryPoint: ['run'],
      environment: [{ name: 'MODE', value: 'fast' }],
    });
    expect(one.definition.containerDefinitions?.[0]).not.toHaveProperty('command');
    expect(two.run.overrides).toEqual({
      containerOverrides: [
        {
          name: 'main',
          command: ['--name=web-2', '-v'],
          environment: [{ name: 'POD_NAME', value: 'web-2' }],
        },
      ],
    });
  });

  it('gives another definition for anything else that differs', () => {
    const hashes = [{}, { container: { image: 'app:2' } }, { spec: { terminationGracePeriodSeconds: 5 } }].map(
      (change) => prepared(change).definitionHash,
    );
    expect(new Set(hashes).size).toBe(3);
  });

  it('keeps the entry point of the image where the pod names no command', () => {
    const definition = definitionOf({ environment: { env: [], args: [{ value: '-v', origin: 'template' }] } });
    expect(definition).toMatchObject({ command: ['-v'] });
    expect(definition).not.toHaveProperty('entryPoint');
  });
});

describe('secrets', () => {
  const withSecret = (value: string, namespace = 'shop'): FargatePrepared =>
    prepared({ environment: { env: [variable('PW', value, 'secret')] }, metadata: { namespace } });

  it('travel as parameters named after Secret, key and content', () => {
    const { parameters, definition } = withSecret('hunter2');
    expect(parameters).toEqual([
      { path: expect.stringMatching(/^\/svk\/dev\/shop\/keys\/[0-9a-f]{16}\/pw$/), value: 'hunter2' },
    ]);
    expect(definition.containerDefinitions?.[0]?.secrets).toEqual([{ name: 'PW', valueFrom: parameters[0]?.path }]);
  });

  it('never appear in what is registered, sent or told', () => {
    const container = {
      env: [variable('PW', 'hunter2', 'secret')],
      args: [{ value: 'x-hunter2', origin: 'secret' as const, variables: ['PW'] }],
    };
    const { definition, run } = withSecret('hunter2');
    expect(JSON.stringify([definition, run, prepare({ environment: container })])).not.toContain('hunter2');
  });

  it('have equal paths for equal contents and others for others', () => {
    const path = (one: FargatePrepared): string | undefined => one.parameters[0]?.path;
    expect(path(withSecret('a'))).toBe(path(withSecret('a')));
    expect(path(withSecret('a'))).not.toBe(path(withSecret('b')));
    expect(path(withSecret('a', 'one'))?.slice(-19)).not.toBe(path(withSecret('a', 'two'))?.slice(-19));
  });

  it('that are empty are plain variables, since parameters cannot be empty', () => {
    const { parameters, definition } = withSecret('');
    expect(parameters).toEqual([]);
    expect(definition.containerDefinitions?.[0]?.environment).toEqual([{ name: 'PW', value: '' }]);
  });

  it('in a command line are refused by variable', () => {
    const environment: ResolvedContainer = {
      env: [],
      command: [{ value: 'x', origin: 'secret', variables: ['PW', 'URL'] }],
    };
    const [problem] = problemsOf({ environment });
    expect(problem?.[0]).toBe('spec.containers[0].command[0]');
    expect(problem?.[1]).toContain('$(PW), $(URL)');
  });

  it('longer than a parameter are refused by variable', () => {
    const [problem] = problemsOf({ environment: { env: [variable('CERT', 'x'.repeat(8193), 'secret')] } });
    expect(problem?.[1]).toContain('CERT: its secret value has 8193 bytes');
  });
});

describe('size limits', () => {
  const many = (count: number, length: number, extra: Partial<ResolvedVariable> = {}): ResolvedVariable[] =>
    Array.from({ length: count }, (_, index) => ({ ...variable(`V${index}`, 'x'.repeat(length)), ...extra }));

  it('refuse a definition above 64 KiB, naming the largest variables', () => {
    const env = [...many(100, 700), variable('BIG', 'y'.repeat(2000))];
    const [problem] = problemsOf({ environment: { env } });
    expect(problem?.[0]).toBe('spec.containers[0].env');
    expect(problem?.[1]).toMatch(/would have \d{5} bytes.*65536.*BIG \(2003 bytes\), V10 \(703 bytes\)/);
  });

  it('let service variables go first, with a note', () => {
    const env = [...many(10, 7000, { serviceLink: true }), variable('OWN', 'stays')];
    const preparation = prepare({ environment: { env } });
    expect(preparation).toMatchObject({ ok: true, notes: [{ field: 'spec.enableServiceLinks' }] });
    expect(prepared({ environment: { env } }).definition.containerDefinitions?.[0]?.environment).toEqual([
      { name: 'OWN', value: 'stays' },
    ]);
  });

  it('refuse overrides above 8192 characters', () => {
    const env = [variable('LABELS', 'x'.repeat(8200), 'identity')];
    const [problem] = problemsOf({ environment: { env } });
    expect(problem?.[1]).toContain('LABELS (8206 bytes)');
  });
});

describe('placement', () => {
  it('is by the profile of the node', () => {
    const { run, definition } = prepared({ node: 'fargate-arm' });
    expect(definition.runtimePlatform?.cpuArchitecture).toBe('ARM64');
    expect(run).toMatchObject({
      launchType: 'FARGATE',
      networkConfiguration: { awsvpcConfiguration: { subnets: ['subnet-0a', 'subnet-0b'] } },
    });
  });

  it('is by annotation where the profile lists the namespace', () => {
    const metadata = { namespace: 'batch', annotations: { 'svk.dev/profile': 'spot' } };
    const { run } = prepared({ metadata });
    expect(run).toMatchObject({
      capacityProviderStrategy: [{ capacityProvider: 'FARGATE_SPOT', weight: 1 }],
      platformVersion: '1.4.0',
      networkConfiguration: { awsvpcConfiguration: { assignPublicIp: 'ENABLED' } },
    });
    expect(run).not.toHaveProperty('launchType');
  });

  it.each(['spot', 'unknown'])('refuses profile %s where it is not open', (profile) => {
    expect(problemsOf({ metadata: { annotations: { 'svk.dev/profile': profile } } }).map(([field]) => field)).toEqual([
      "metadata.annotations['svk.dev/profile']",
    ]);
  });
});

describe('execute-command', () => {
  const deployment = { taskRoleArn: 'arn:aws:iam::123456789012:role/svk-dev-task' };

  it.each<[what: string, change: Change, enabled: boolean]>([
    ['is off without a role', {}, false],
    ['is on with one', { deployment }, true],
    ['is off where the pod says so', { deployment, metadata: { annotations: { 'svk.dev/exec': 'false' } } }, false],
  ])('%s', (_what, change, enabled) => {
    expect(prepared(change).run.enableExecuteCommand).toBe(enabled);
  });

  it('cannot work with a read-only root, which is noted', () => {
    const container = { securityContext: { readOnlyRootFilesystem: true } };
    expect(notesOf({ container, deployment })).toEqual(['spec.containers[0].securityContext.readOnlyRootFilesystem']);
    expect(notesOf({ container })).toEqual([]);
  });
});

describe('tags', () => {
  it('are clean, short and at most 50', () => {
    const labels = Object.fromEntries(
      Array.from({ length: 60 }, (_, index) => [`l${String(index).padStart(2, '0')}`, 'v']),
    );
    const annotations = {
      'kubectl.kubernetes.io/last-applied-configuration': '{"env":"hunter2"}',
      note: 'a?b&c é中',
    };
    const { tags = [] } = prepared({ metadata: { labels, annotations } }).run;
    expect(tags).toHaveLength(50);
    expect(tags.slice(0, 5)).toEqual([
      { key: 'svk.dev/namespace', value: 'shop' },
      { key: 'svk.dev/pod', value: 'web' },
      { key: 'svk.dev/uid', value: 'uid-1' },
      { key: 'svk.dev/node', value: 'fargate' },
      { key: 'l00', value: 'v' },
    ]);
  });

  it('never hold a whole manifest', () => {
    const annotations = {
      'kubectl.kubernetes.io/last-applied-configuration': 'hunter2',
      note: `a?b&c é中${'x'.repeat(300)}`,
    };
    const { tags } = prepared({ metadata: { annotations } }).run;
    expect(JSON.stringify(tags)).not.toContain('hunter2');
    expect(tags?.find(({ key }) => key === 'note')?.value).toBe(`a_b_c __${'x'.repeat(248)}`);
  });
});

it('changes nothing it is given and says the same every time', () => {
  const change: Change = { environment: { env: [variable('A', 'b'), variable('S', 's', 'secret')] } };
  const before = structuredClone(change);
  expect(prepare(change)).toEqual(prepare(change));
  expect(change).toEqual(before);
});
