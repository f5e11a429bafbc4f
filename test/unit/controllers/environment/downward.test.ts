import { describe, expect, it } from 'vitest';
import { resolveEnvironment } from '../../../../src/controllers/pod/environment/resolve-environment.ts';
import { podWith, sourcesWith, values } from './environment-harness.ts';

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
