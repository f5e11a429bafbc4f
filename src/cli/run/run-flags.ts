import type { Flag } from './flag.ts';
import { KLOG_FLAGS } from './klog-flags.ts';
import { KUBELET_FLAGS } from './kubelet-flags.ts';

const CLUSTER: readonly Flag[] = [
  {
    name: 'kubeconfig',
    value: 'file',
    group: 'Cluster',
    help: 'kubeconfig; where there is no such file, the service account of the pod is used (default: ~/.kube/config)',
    variable: 'KUBECONFIG',
    file: true,
  },
  {
    name: 'credentials-parameter',
    value: 'name',
    group: 'Cluster',
    help: 'instead of a kubeconfig: the SSM parameter with the credentials of a deployment (svk credentials set)',
    variable: 'SVK_CREDENTIALS_PARAMETER',
  },
  {
    name: 'namespace',
    value: 'name',
    group: 'Cluster',
    help: 'namespace to watch',
    deprecated: 'it has no effect: the pods bound to the node are served, whatever their namespace',
  },
  {
    name: 'cluster-domain',
    value: 'domain',
    group: 'Cluster',
    help: 'DNS domain of the cluster, for the provider',
    initial: 'cluster.local',
  },
  {
    name: 'kube-api-qps',
    value: 'number',
    group: 'Cluster',
    help: 'most requests a second to the API server, leases and the node left out (default: no limit)',
  },
  {
    name: 'kube-api-burst',
    value: 'count',
    group: 'Cluster',
    help: 'requests that may go out at once where --kube-api-qps is given (default: twice that)',
  },
];

const NODE: readonly Flag[] = [
  {
    name: 'nodename',
    value: 'name',
    group: 'Node',
    help: 'name of the node',
    variable: 'DEFAULT_NODE_NAME',
    initial: 'virtual-kubelet',
  },
  {
    name: 'os',
    value: 'name',
    group: 'Node',
    help: 'operating system of the pods',
    initial: 'linux',
    choices: ['linux', 'windows'],
  },
  {
    name: 'only',
    value: 'part',
    group: 'Node',
    help: 'serve just the kubelet API of nodes whose controllers run elsewhere (a stream gateway); of every node of the provider’s configuration where --nodename is left out, each at a port of its own from that of --listen on',
    choices: ['kubelet-api'],
  },
  { name: 'provider', value: 'name', group: 'Node', help: 'where pods run; `svk providers` lists them' },
  {
    name: 'provider-config',
    value: 'file',
    group: 'Node',
    help: 'configuration of the provider, YAML or JSON; for fargate the settings file of the deployment',
    file: true,
  },
  {
    name: 'taint',
    value: 'key',
    group: 'Node',
    help: 'key of the taint',
    initial: 'virtual-kubelet.io/provider',
    deprecated: 'set VKUBELET_TAINT_KEY instead',
  },
  { name: 'disable-taint', group: 'Node', help: 'put no taint on the node', initial: 'false' },
  {
    name: 'enable-node-lease',
    group: 'Node',
    help: 'renew a lease',
    initial: 'true',
    deprecated: 'it has no effect: the node always has a lease',
  },
  {
    name: 'node-ip',
    value: 'address',
    group: 'Node',
    help: 'address of the node inside the cluster (default: the first of this machine)',
    variable: 'VKUBELET_POD_IP',
  },
  {
    name: 'deployment',
    value: 'name',
    group: 'Node',
    help: "marks the node as ours; fargate takes the settings' name instead",
    variable: 'SVK_DEPLOYMENT',
    initial: 'svk',
  },
  { name: 'delete-node', group: 'Node', help: 'remove the node when the process ends', initial: 'false' },
];

const PODS: readonly Flag[] = [
  {
    name: 'pod-sync-workers',
    value: 'count',
    group: 'Pods',
    help: 'pods worked on side by side',
    initial: '10',
  },
  {
    name: 'full-resync-period',
    value: 'duration',
    group: 'Pods',
    help: 'how often everything is compared anew; 0: never after the start',
    initial: '1m',
  },
];

const STATE: readonly Flag[] = [
  {
    name: 'state',
    value: 'where',
    group: 'State',
    help: 'where the rows of pods are kept: memory, or a table of DynamoDB that outlives the process',
    initial: 'memory',
    choices: ['memory', 'dynamodb'],
  },
  {
    name: 'state-table',
    value: 'name',
    group: 'State',
    help: 'table for --state dynamodb; its region is AWS_REGION',
    variable: 'SVK_TABLE',
  },
];

const TELEMETRY: readonly Flag[] = [
  {
    name: 'log-format',
    value: 'format',
    group: 'Logs, metrics, traces',
    help: 'form of the log',
    initial: 'text',
    choices: ['text', 'json'],
  },
  {
    name: 'metrics-addr',
    value: 'address',
    group: 'Logs, metrics, traces',
    help: 'where /metrics, /healthz and /readyz are served; empty or 0: nowhere',
    initial: ':10255',
  },
  {
    name: 'trace-exporter',
    value: 'name',
    group: 'Logs, metrics, traces',
    help: 'where traces go: otlp (OTEL_EXPORTER_OTLP_ENDPOINT), console (default: no traces)',
    repeatable: true,
    choices: ['otlp', 'console'],
  },
  {
    name: 'trace-service-name',
    value: 'name',
    group: 'Logs, metrics, traces',
    help: 'service name of the traces',
    initial: 'virtual-kubelet',
  },
  {
    name: 'trace-tag',
    value: 'key=value',
    group: 'Logs, metrics, traces',
    help: 'tag of every trace',
    repeatable: true,
  },
  {
    name: 'trace-sample-rate',
    value: 'rate',
    group: 'Logs, metrics, traces',
    help: 'always, never, or a percentage of the traces',
    initial: '',
  },
];

const PROCESS: readonly Flag[] = [
  {
    name: 'startup-timeout',
    value: 'duration',
    group: 'Process',
    help: 'end with an error where it is not ready by then; 0: wait',
    initial: '0',
  },
  {
    name: 'shutdown-timeout',
    value: 'duration',
    group: 'Process',
    help: 'how long work in progress may go on after SIGINT or SIGTERM',
    initial: '20s',
  },
];

/** Every flag of `svk run`: virtual-kubelet's under their names, and ours. */
export const RUN_FLAGS: readonly Flag[] = [
  ...CLUSTER,
  ...NODE,
  ...PODS,
  ...KUBELET_FLAGS,
  ...STATE,
  ...TELEMETRY,
  ...PROCESS,
  ...KLOG_FLAGS,
];
