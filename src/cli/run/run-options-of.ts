import path from 'node:path';
import type { CertificateFiles, RunOptions, ServingOptions, StateOptions } from '../../app/process/run-options.ts';
import type { ListenAddress, TraceOptions } from '../../ports/metrics.ts';
import type { Variables } from '../../ports/provider-factory.ts';
import { parseAddress, parseIp, parsePort } from '../values/address.ts';
import { parseDuration, parseTimeout } from '../values/duration.ts';
import { parseNodeName } from '../values/kubernetes-names.ts';
import { parseBoolean, parseCount, parseOneOf, parseRate, parseText } from '../values/plain.ts';
import { parseExporters, parseSampleRate, parseTags } from '../values/trace.ts';
import { given } from '../values/value.ts';
import type { FlagValues } from './flag-values.ts';
import { taintOf } from './taint.ts';

/** Everything `svk run` is told. */
export interface RunRequest {
  readonly options: RunOptions;
  readonly provider: string;
  /** A path. */
  readonly providerConfig: string | undefined;
  readonly trace: TraceOptions;
}

const KUBELET_PORT = 10_250;
const KUBECONFIG = path.join('.kube', 'config');

/** Reads the flags; what is wrong with them is noted in `flags.faults`, all of it. */
export const runRequestOf = (
  flags: FlagValues,
  {
    environment,
    home,
    providers,
  }: { readonly environment: Variables; readonly home: string; readonly providers: readonly string[] },
): RunRequest => {
  const duration = (name: string): number => flags.valueOr(name, parseDuration, 0);
  const isOn = (name: string): boolean => flags.valueOr(name, parseBoolean, false);
  const provider = providerOf(flags, providers);
  const only = onlyOf(flags, provider);
  return {
    provider,
    providerConfig: flags.value('provider-config', parseText),
    trace: traceOf(flags),
    options: {
      kubeconfig: flags.text('kubeconfig') ?? path.join(home, KUBECONFIG),
      credentialsParameter: flags.value('credentials-parameter', parseText),
      nodeName: only === undefined || flags.isGiven('nodename') ? flags.valueOr('nodename', parseNodeName, '') : '',
      only,
      operatingSystem: flags.valueOr('os', parseOneOf('linux', 'windows'), 'linux'),
      deployment: flags.valueOr('deployment', parseText, ''),
      clusterDomain: flags.valueOr('cluster-domain', given, ''),
      taint: taintOf(flags, environment, { provider, isDisabled: isOn('disable-taint') }),
      podSyncWorkers: flags.valueOr('pod-sync-workers', parseCount, 1),
      fullResyncMs: duration('full-resync-period'),
      startupTimeoutMs: duration('startup-timeout'),
      shutdownMs: duration('shutdown-timeout'),
      deleteNode: isOn('delete-node'),
      listen: listenOf(flags, environment),
      nodeIp: flags.value('node-ip', parseIp),
      certificates: certificatesOf(flags),
      serving: servingOf(flags),
      insecureAllowAnonymous: isOn('insecure-allow-anonymous'),
      apiLimit: apiLimitOf(flags),
      state: stateOf(flags, environment),
      metrics: metricsOf(flags),
      extendWebSockets: isOn('extend-websockets'),
      streams: {
        idleTimeoutMs: duration('stream-idle-timeout'),
        creationTimeoutMs: flags.valueOr('stream-creation-timeout', parseTimeout, 0),
      },
    },
  };
};

const providerOf = (flags: FlagValues, providers: readonly string[]): string => {
  const name = flags.text('provider') ?? '';
  if (name === '') flags.faults.push(`--provider must be given: ${providers.join(', ')}`);
  else if (!providers.includes(name))
    flags.faults.push(`--provider must be one of ${providers.join(', ')}, not "${name}"`);
  return name;
};

const onlyOf = (flags: FlagValues, provider: string): RunOptions['only'] => {
  const only = flags.value('only', parseOneOf('kubelet-api'));
  if (only !== undefined && provider === 'mock')
    flags.faults.push(
      '--only kubelet-api does not go with --provider mock: its pods live in the process that runs them',
    );
  return only;
};

const listenOf = (flags: FlagValues, environment: Variables): ListenAddress => {
  const { KUBELET_PORT: text } = environment;
  const port = text === undefined ? KUBELET_PORT : flags.check('KUBELET_PORT', parsePort(text));
  return flags.value('listen', parseAddress) ?? { host: '', port: port ?? KUBELET_PORT };
};

const certificatesOf = (flags: FlagValues): CertificateFiles => {
  const certificate = flags.value('tls-cert-file', parseText);
  const privateKey = flags.value('tls-private-key-file', parseText);
  if ((certificate === undefined) !== (privateKey === undefined))
    flags.faults.push('--tls-cert-file and --tls-private-key-file come together or not at all');
  return { certificate, privateKey, clientAuthority: flags.value('client-ca-file', parseText) };
};

/** `<domain>/<path>`, as the API server wants the names of signers. */
const SIGNER = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)+\/[\w.-]+(\/[\w.-]+)*$/i;

const servingOf = (flags: FlagValues): ServingOptions => {
  const kind = flags.valueOr('serving-certificate', parseOneOf('request', 'self-signed'), 'request');
  const signerName = flags.valueOr('certificate-signer', parseText, '');
  if (!SIGNER.test(signerName))
    flags.faults.push(
      `--certificate-signer must be the name of a signer, such as kubernetes.io/kubelet-serving, not "${signerName}"`,
    );
  const folder = flags.value('cert-dir', parseText);
  return kind === 'self-signed' ? { kind } : { kind, signerName, folder };
};

const apiLimitOf = (flags: FlagValues): RunOptions['apiLimit'] => {
  const qps = flags.value('kube-api-qps', parseRate);
  const burst = flags.value('kube-api-burst', parseCount);
  if (flags.isGiven('kube-api-burst') && !flags.isGiven('kube-api-qps'))
    flags.faults.push('--kube-api-burst needs --kube-api-qps');
  return qps === undefined ? undefined : { qps, burst: burst ?? Math.max(1, Math.ceil(qps * 2)) };
};

const stateOf = (flags: FlagValues, { AWS_REGION: region }: Variables): StateOptions => {
  if (flags.valueOr('state', parseOneOf('memory', 'dynamodb'), 'memory') === 'memory') return { kind: 'memory' };
  const table = flags.text('state-table') ?? '';
  if (table === '') flags.faults.push('--state dynamodb needs --state-table or SVK_TABLE');
  if (!region) flags.faults.push('--state dynamodb needs AWS_REGION');
  return { kind: 'dynamodb', table, region: region ?? '' };
};

/** Empty and 0: nowhere, as with other controllers. */
const NOWHERE: readonly (string | undefined)[] = ['', '0'];

const metricsOf = (flags: FlagValues): RunOptions['metrics'] => {
  if (NOWHERE.includes(flags.text('metrics-addr'))) return undefined;
  const address = flags.value('metrics-addr', parseAddress);
  return address && { ...address, isRequired: flags.isGiven('metrics-addr') };
};

const traceOf = (flags: FlagValues): TraceOptions => {
  const sampleRatio = flags.value('trace-sample-rate', parseSampleRate);
  return {
    exporters: flags.check('--trace-exporter', parseExporters(flags.texts('trace-exporter'))) ?? [],
    serviceName: flags.valueOr('trace-service-name', parseText, ''),
    tags: flags.check('--trace-tag', parseTags(flags.texts('trace-tag'))) ?? {},
    ...(sampleRatio !== undefined && { sampleRatio }),
  };
};
