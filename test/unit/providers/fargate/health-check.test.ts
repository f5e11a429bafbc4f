import { describe, expect, it } from 'vitest';
import type { Container } from '../../../../src/model/kubernetes.ts';
import { healthCheckOf } from '../../../../src/providers/fargate/prepare/health-check.ts';

const checkOf = (container: Partial<Container>): unknown => healthCheckOf({ name: 'main', ...container });
const exec = { command: ['cat', '/tmp/ok'] };
const other = { command: ['other'] };

describe('the health check of a container', () => {
  it.each<{ readonly of: string; readonly container: Partial<Container>; readonly check: unknown }>([
    { of: 'no probe', container: {}, check: undefined },
    { of: 'a probe over the network', container: { readinessProbe: { httpGet: { port: 80 } } }, check: undefined },
    {
      of: 'a readiness probe with the defaults of Kubernetes',
      container: { readinessProbe: { exec } },
      check: { command: ['CMD', 'cat', '/tmp/ok'], interval: 10, timeout: 2, retries: 3 },
    },
    {
      of: 'a liveness probe with times of its own',
      container: {
        livenessProbe: { exec, initialDelaySeconds: 15, periodSeconds: 20, timeoutSeconds: 7, failureThreshold: 4 },
      },
      check: { command: ['CMD', 'cat', '/tmp/ok'], interval: 20, timeout: 7, retries: 4, startPeriod: 15 },
    },
    {
      of: 'times below and above what Fargate takes',
      container: {
        readinessProbe: {
          exec,
          initialDelaySeconds: 900,
          periodSeconds: 1,
          timeoutSeconds: 100,
          failureThreshold: 30,
        },
      },
      check: { command: ['CMD', 'cat', '/tmp/ok'], interval: 5, timeout: 60, retries: 10, startPeriod: 300 },
    },
    {
      of: 'readiness and liveness with one command: the quicker interval, the thresholds of readiness, the longer delay',
      container: {
        readinessProbe: { exec, periodSeconds: 5, failureThreshold: 2 },
        livenessProbe: { exec, periodSeconds: 10, failureThreshold: 6, initialDelaySeconds: 30 },
      },
      check: { command: ['CMD', 'cat', '/tmp/ok'], interval: 5, timeout: 2, retries: 2, startPeriod: 30 },
    },
    {
      of: 'readiness and liveness with two commands: that of readiness',
      container: { livenessProbe: { exec: other, periodSeconds: 5 }, readinessProbe: { exec, periodSeconds: 30 } },
      check: { command: ['CMD', 'cat', '/tmp/ok'], interval: 30, timeout: 2, retries: 3 },
    },
    {
      of: 'liveness and startup with one command: the time of the start before failures count',
      container: {
        livenessProbe: { exec, periodSeconds: 10, failureThreshold: 3 },
        startupProbe: { exec, periodSeconds: 10, failureThreshold: 12, initialDelaySeconds: 5 },
      },
      check: { command: ['CMD', 'cat', '/tmp/ok'], interval: 10, timeout: 2, retries: 3, startPeriod: 125 },
    },
    {
      of: 'a startup probe alone: one failure after its time is one too many',
      container: { startupProbe: { exec, periodSeconds: 5, failureThreshold: 10 } },
      check: { command: ['CMD', 'cat', '/tmp/ok'], interval: 5, timeout: 2, retries: 1, startPeriod: 50 },
    },
    {
      of: 'variables: those whose value stands in the pod, others empty, unknown ones as they are',
      container: {
        env: [
          { name: 'PORT', value: '6379' },
          { name: 'PASSWORD', valueFrom: { secretKeyRef: { name: 'db', key: 'pw' } } },
        ],
        readinessProbe: { exec: { command: ['ping', '$(PORT)', '-a', '$(PASSWORD)', '$(NONE)', '$$(PORT)', '$HOME'] } },
      },
      check: {
        command: ['CMD', 'ping', '6379', '-a', '', '$(NONE)', '$(PORT)', '$HOME'],
        interval: 10,
        timeout: 2,
        retries: 3,
      },
    },
  ])('of $of', ({ container, check }) => {
    expect(checkOf(container)).toEqual(check);
  });
});
