import { describe, expect, it } from 'vitest';
import { type Change, definitionOf, notesOf, prepare, prepared, problemsOf, variable } from './prepare-harness.ts';

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
    ['L-18 grace of nothing', { spec: { terminationGracePeriodSeconds: 0 } }, { stopTimeout: 2 }],
    ['grace by default', {}, { stopTimeout: 30 }],
    ['L-18 grace above the maximum', { spec: { terminationGracePeriodSeconds: 3600 } }, { stopTimeout: 120 }],
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
