import { describe, expect, it } from 'vitest';
import type { Container, PodSpec } from '../../../../src/model/kubernetes.ts';
import { type Change, notesOf, prepared, problemsOf } from './prepare-harness.ts';

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
    ['spec.containers[0].readinessProbe', { container: { readinessProbe: { httpGet: { port: 80 } } } }],
    ['spec.containers[0].livenessProbe', { container: { livenessProbe: { tcpSocket: { port: 80 } } } }],
    ['spec.containers[0].startupProbe', { container: { startupProbe: { grpc: { port: 80 } } } }],
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
    ['spec.terminationGracePeriodSeconds', { spec: { terminationGracePeriodSeconds: 121 } }],
    ['spec.securityContext.fsGroup', { spec: { securityContext: { fsGroup: 1 } } }],
    [
      'spec.terminationGracePeriodSeconds',
      {
        container: { lifecycle: { preStop: { sleep: { seconds: 10 } } } },
        spec: { terminationGracePeriodSeconds: 131 },
      },
    ],
    [
      'spec.containers[0].lifecycle.postStart',
      { container: { lifecycle: { postStart: { exec: { command: ['x'] } } } } },
    ],
    ['spec.containers[0].lifecycle.preStop', { container: { lifecycle: { preStop: { exec: { command: ['x'] } } } } }],
    [
      'spec.containers[0].livenessProbe',
      { container: { readinessProbe: { exec: { command: ['a'] } }, livenessProbe: { exec: { command: ['b'] } } } },
    ],
    [
      'spec.containers[0].readinessProbe.successThreshold',
      { container: { readinessProbe: { exec: { command: ['a'] }, successThreshold: 2 } } },
    ],
    [
      'spec.containers[0].readinessProbe.failureThreshold',
      { container: { readinessProbe: { exec: { command: ['a'] }, failureThreshold: 11 } } },
    ],
    [
      'spec.containers[0].livenessProbe.periodSeconds',
      { container: { livenessProbe: { exec: { command: ['a'] }, periodSeconds: 301 } } },
    ],
    ['spec.containers[0].imagePullPolicy', { container: { imagePullPolicy: 'Never' } }],
    ['spec.containers[0].terminationMessagePath', { container: { terminationMessagePath: '/tekton/termination' } }],
    ['spec.containers[0].securityContext.runAsNonRoot', { container: { securityContext: { runAsNonRoot: true } } }],
    ['spec.ephemeralContainers', { spec: { ephemeralContainers: [{ name: 'debug' }] } }],
    ['spec.fromTheFuture', { spec: { fromTheFuture: true } as Partial<PodSpec> }],
    [
      'spec.securityContext.fromTheFuture',
      { spec: { securityContext: { fromTheFuture: 1 } as PodSpec['securityContext'] } as Partial<PodSpec> },
    ],
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
    const metadata = { annotations: { 'svk.dev/api-access': 'false' } };
    const container: Partial<Container> = {
      terminationMessagePath: '/dev/termination-log',
      securityContext: {
        allowPrivilegeEscalation: false,
        seccompProfile: { type: 'RuntimeDefault' },
        privileged: false,
      },
    };
    expect(notesOf({ spec, container, metadata })).toEqual([]);
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
