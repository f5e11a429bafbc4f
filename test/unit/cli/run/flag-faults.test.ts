import { describe, expect, it } from 'vitest';
import { run, svk } from './svk-run.ts';

describe('faults', () => {
  it.each([
    [['--os', 'Linux'], '--os must be linux or windows, not "Linux"'],
    [['--pod-sync-workers', '0'], '--pod-sync-workers must be a whole number above zero, not "0"'],
    [['--pod-sync-workers=-1'], '--pod-sync-workers must be a whole number above zero, not "-1"'],
    [['--full-resync-period', 'often'], '--full-resync-period must be a duration'],
    [['--stream-creation-timeout', '0'], '--stream-creation-timeout must be longer than 0, such as 30s, not "0"'],
    [['--stream-creation-timeout', 'x'], '--stream-creation-timeout must be a duration'],
    [['--provider', 'nope'], '--provider must be one of fargate, mock, web, not "nope"'],
    [['--provider', ''], '--provider must be given: fargate, mock, web'],
    [['--nodename', ''], '--nodename must not be empty'],
    [['--nodename', 'VK_1'], '--nodename must be a DNS name of lower case letters'],
    [['--taint', 'a b'], '--taint must be a key such as virtual-kubelet.io/provider, not "a b"'],
    [['--trace-sample-rate', '101'], '--trace-sample-rate must be always, never'],
    [['--trace-tag', 'x'], '--trace-tag must be key=value, not "x"'],
    [['--trace-exporter', 'jaeger'], '--trace-exporter jaeger is not offered any more'],
    [['--kube-api-burst', '3'], '--kube-api-burst needs --kube-api-qps'],
    [['--only', 'all'], '--only must be kubelet-api, not "all"'],
    [['--only', 'kubelet-api'], '--only kubelet-api does not go with --provider mock'],
    [['--serving-certificate', 'no'], '--serving-certificate must be request or self-signed, not "no"'],
    [
      ['--certificate-signer', 'kubelet-serving'],
      '--certificate-signer must be the name of a signer, such as kubernetes.io/kubelet-serving, not "kubelet-serving"',
    ],
    [['--tls-cert-file', '/c'], '--tls-cert-file and --tls-private-key-file come together or not at all'],
    [['--state', 'dynamodb'], '--state dynamodb needs --state-table or SVK_TABLE'],
    [['--delete-node=maybe'], '--delete-node must be true or false, not "maybe"'],
    [['--log-format', 'xml'], '--log-format must be text or json, not "xml"'],
    [['--listen', '10250'], '--listen must be an address with a port'],
    [['--bogus'], "unknown option '--bogus'"],
    [['extra'], "too many arguments for 'run'"],
  ])('%j', async (args, words) => {
    const { code, err, request } = await run(args);
    expect([code, request]).toEqual([2, undefined]);
    expect(err).toContain(`svk: ${words}`);
  });

  it.each([
    ['KUBELET_PORT', 'http', 'KUBELET_PORT must be a port from 0 to 65535, not "http"'],
    ['KUBELET_PORT', '65536', 'KUBELET_PORT must be a port'],
    ['VKUBELET_TAINT_EFFECT', 'Never', 'VKUBELET_TAINT_EFFECT must be NoSchedule or PreferNoSchedule or NoExecute'],
    ['VKUBELET_TAINT_KEY', '', 'VKUBELET_TAINT_KEY must not be empty'],
    ['VKUBELET_TAINT_KEY', 'a b', 'VKUBELET_TAINT_KEY must be a key such as'],
    ['VKUBELET_TAINT_VALUE', 'a b', 'VKUBELET_TAINT_VALUE must be at most 63 letters'],
    ['DEFAULT_NODE_NAME', 'Host', 'DEFAULT_NODE_NAME (--nodename) must be a DNS name'],
    ['VKUBELET_POD_IP', 'me', 'VKUBELET_POD_IP (--node-ip) must be an IP address, not "me"'],
  ])('%s=%s', async (name, value, words) => {
    const { code, err } = await run([], { [name]: value });
    expect(code).toBe(2);
    expect(err).toContain(`svk: ${words}`);
  });

  it('of a variable do not keep the other commands from working', async () => {
    expect((await svk(['version'], { KUBELET_PORT: 'http' })).code).toBe(0);
  });

  it('are told all at once', async () => {
    const { err } = await svk(['run', '--os', 'x', '--pod-sync-workers', '0', '--startup-timeout', 'y']);
    expect(err.split('\n').filter((line) => line.startsWith('svk: '))).toHaveLength(4);
  });
});
