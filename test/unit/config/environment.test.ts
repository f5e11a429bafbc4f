import { describe, expect, it } from 'vitest';
import { parseEnvironment } from '../../../src/config/environment.ts';
import { providers, valid } from './samples.ts';

const env = {
  SVK_SETTINGS: JSON.stringify(valid),
  SVK_TABLE: 'svk-dev',
  SVK_POD_QUEUE_URL: 'https://sqs.eu-west-1.amazonaws.com/123456789012/pods',
  SVK_BEATS_QUEUE_URL: 'http://127.0.0.1:4566/000000000000/beats',
  SVK_ECS_CLUSTER: 'arn:aws:ecs:eu-west-1:123456789012:cluster/svk-dev',
  SVK_LOG_GROUP: '/svk/dev',
  SVK_EXECUTION_ROLE_ARN: 'arn:aws:iam::123456789012:role/svk-dev-execution',
  SVK_CREDENTIALS_PARAMETER: '/svk-system/dev/kubernetes',
  SVK_ADMISSION_SECRET_PARAMETER: '/svk-system/dev/admission',
  SVK_KUBELET_ENDPOINTS: '{"fargate":{"host":"x.execute-api.eu-west-1.amazonaws.com","port":443}}',
  AWS_REGION: 'eu-west-1',
};

describe('parseEnvironment', () => {
  it('reads what a function is given', () => {
    const { settings, ...rest } = parseEnvironment(env, providers);
    expect(settings.deployment).toBe('dev');
    expect(rest).toEqual({
      table: 'svk-dev',
      podQueueUrl: 'https://sqs.eu-west-1.amazonaws.com/123456789012/pods',
      beatsQueueUrl: 'http://127.0.0.1:4566/000000000000/beats',
      ecsCluster: 'arn:aws:ecs:eu-west-1:123456789012:cluster/svk-dev',
      logGroup: '/svk/dev',
      executionRoleArn: 'arn:aws:iam::123456789012:role/svk-dev-execution',
      credentialsParameter: '/svk-system/dev/kubernetes',
      admissionSecretParameter: '/svk-system/dev/admission',
      kubeletEndpoints: { fargate: { host: 'x.execute-api.eu-west-1.amazonaws.com', port: 443 } },
      metrics: 'none',
      region: 'eu-west-1',
    });
  });

  it('does without what is optional', () => {
    const { SVK_KUBELET_ENDPOINTS: _endpoints, ...rest } = env;
    expect(parseEnvironment({ ...rest, SVK_TASK_ROLE_ARN: '' }, providers).kubeletEndpoints).toEqual({});
    const role = 'arn:aws:iam::123456789012:role/exec';
    expect(parseEnvironment({ ...env, SVK_TASK_ROLE_ARN: role }, providers).taskRoleArn).toBe(role);
    expect(parseEnvironment({ ...env, SVK_METRICS: 'emf' }, providers).metrics).toBe('emf');
  });

  it('tells every fault at once', () => {
    const faulty = {
      ...env,
      SVK_SETTINGS: JSON.stringify({ ...valid, deployment: 'Dev', cages: [] }),
      SVK_TABLE: '',
      SVK_POD_QUEUE_URL: 'pods',
      SVK_ECS_CLUSTER: 'svk-dev',
      SVK_KUBELET_ENDPOINTS: '{"fargate":{"host":"x","port":70000}}',
      AWS_REGION: undefined,
    };
    expect(() => parseEnvironment(faulty, providers)).toThrow(
      [
        'the environment has 7 faults:',
        '  SVK_SETTINGS: deployment: must be a lower-case letter, then lower-case letters, digits or hyphens, 20 characters at most',
        '  SVK_SETTINGS: cages: needs at least one cage',
        '  SVK_TABLE: is not set',
        '  SVK_POD_QUEUE_URL: must be a URL',
        '  SVK_ECS_CLUSTER: must be an ARN',
        '  AWS_REGION: is not set',
        '  SVK_KUBELET_ENDPOINTS: fargate.port: must be a port from 1 to 65535',
      ].join('\n'),
    );
  });

  it.each([
    ['missing settings', { SVK_SETTINGS: undefined }, 'SVK_SETTINGS: is not set'],
    ['settings that are no JSON', { SVK_SETTINGS: 'x' }, 'SVK_SETTINGS: the settings: must be JSON'],
    ['metrics of another kind', { SVK_METRICS: 'on' }, 'SVK_METRICS: must be none or emf'],
    ['endpoints that are no JSON', { SVK_KUBELET_ENDPOINTS: 'x' }, 'SVK_KUBELET_ENDPOINTS: must be JSON'],
  ])('names %s', (_what, change, message) => {
    expect(() => parseEnvironment({ ...env, ...change }, providers)).toThrow(message);
  });
});
