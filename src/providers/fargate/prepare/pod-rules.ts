import type { Pod, PodSpec } from '../../../model/kubernetes.ts';
import { applyRules, type FieldRule, type Findings, noteUnknownFields } from './findings.ts';

const RUNTIME_CLASS = 'fargate';
const MAX_GRACE_SECONDS = 120;

const RULES: readonly FieldRule<PodSpec>[] = [
  {
    field: 'initContainers',
    verdict: 'refuse',
    applies: ({ initContainers = [] }) => initContainers.length > 0,
    message: 'init containers are not supported yet: let the container do their work before it starts',
  },
  {
    field: 'containers',
    verdict: 'refuse',
    applies: ({ containers }) => containers.length > 1,
    message: 'pods with several containers are not supported yet: give each container a pod of its own',
  },
  {
    field: 'ephemeralContainers',
    verdict: 'note',
    applies: ({ ephemeralContainers = [] }) => ephemeralContainers.length > 0,
    message: 'ephemeral containers cannot join a Fargate task and are not started',
  },
  {
    field: 'hostNetwork',
    verdict: 'refuse',
    applies: ({ hostNetwork }) => hostNetwork === true,
    message: 'there is no host whose network the pod could use: remove it',
  },
  {
    field: 'hostPID',
    verdict: 'refuse',
    applies: ({ hostPID }) => hostPID === true,
    message: 'there is no host whose processes the pod could see: remove it',
  },
  {
    field: 'hostIPC',
    verdict: 'refuse',
    applies: ({ hostIPC }) => hostIPC === true,
    message: 'there is no host whose IPC the pod could use: remove it',
  },
  {
    field: 'hostAliases',
    verdict: 'refuse',
    applies: ({ hostAliases = [] }) => hostAliases.length > 0,
    message: 'Fargate cannot add lines to /etc/hosts: use names that the resolver of the VPC knows',
  },
  {
    field: 'resourceClaims',
    verdict: 'refuse',
    applies: ({ resourceClaims = [] }) => resourceClaims.length > 0,
    message: 'Fargate has no devices to claim: run this pod on another node',
  },
  {
    field: 'runtimeClassName',
    verdict: 'refuse',
    applies: ({ runtimeClassName }) => runtimeClassName !== undefined && runtimeClassName !== RUNTIME_CLASS,
    message: `the only runtime class here is "${RUNTIME_CLASS}": name that one or none`,
  },
  {
    field: 'os.name',
    verdict: 'refuse',
    applies: ({ os }) => os !== undefined && os.name !== 'linux',
    message: 'this node runs Linux only: let the pod run elsewhere',
  },
  {
    field: 'hostname',
    verdict: 'note',
    applies: ({ hostname }) => hostname !== undefined,
    message: 'the host name is that of the network interface',
  },
  {
    field: 'hostnameOverride',
    verdict: 'note',
    applies: ({ hostnameOverride }) => hostnameOverride !== undefined,
    message: 'the host name is that of the network interface',
  },
  {
    field: 'subdomain',
    verdict: 'note',
    applies: ({ subdomain }) => subdomain !== undefined,
    message: 'the host name is that of the network interface, without this domain',
  },
  {
    field: 'setHostnameAsFQDN',
    verdict: 'note',
    applies: ({ setHostnameAsFQDN }) => setHostnameAsFQDN === true,
    message: 'the host name is that of the network interface',
  },
  {
    field: 'hostUsers',
    verdict: 'note',
    applies: ({ hostUsers }) => hostUsers === false,
    message: 'there is no user namespace of its own: the task has a machine of its own instead',
  },
  {
    field: 'dnsConfig',
    verdict: 'note',
    applies: ({ dnsConfig }) => dnsConfig !== undefined && Object.keys(dnsConfig).length > 0,
    message: 'names are resolved by the resolver of the VPC',
  },
  {
    field: 'dnsPolicy',
    verdict: 'note',
    applies: ({ dnsPolicy }) => dnsPolicy === 'None' || dnsPolicy === 'ClusterFirstWithHostNet',
    message: 'names are resolved by the resolver of the VPC',
  },
  {
    field: 'terminationGracePeriodSeconds',
    verdict: 'note',
    applies: (spec) => remainingGrace(spec) > MAX_GRACE_SECONDS,
    message: `Fargate kills a container at most ${MAX_GRACE_SECONDS} seconds after the stop signal`,
  },
];

/** Decided elsewhere in this provider, by the scheduler, or by the controllers. */
const OTHER_FIELDS: readonly string[] = [
  'activeDeadlineSeconds',
  'affinity',
  'automountServiceAccountToken',
  'enableServiceLinks',
  'imagePullSecrets',
  'nodeName',
  'nodeSelector',
  'os',
  'overhead',
  'preemptionPolicy',
  'priority',
  'priorityClassName',
  'readinessGates',
  'resources',
  'restartPolicy',
  'schedulerName',
  'schedulingGates',
  'schedulingGroup',
  'securityContext',
  'serviceAccount',
  'serviceAccountName',
  'shareProcessNamespace',
  'tolerations',
  'topologySpreadConstraints',
  'volumes',
];

const KNOWN_FIELDS = new Set([...OTHER_FIELDS, ...RULES.map(({ field }) => field)]);

/** Annotations of ours that this version cannot honour unless they say `false`; dropping one would change what the pod may do. */
const REFUSED_ANNOTATIONS: Readonly<Record<string, string>> = {
  'svk.dev/late-env': 'filling in addresses when the pod runs is not supported yet: remove the annotation',
  'svk.dev/api-access': 'tokens of service accounts cannot be delivered yet: remove the annotation',
};

/** Rules about the pod itself, without its containers, volumes and security context. */
export const checkPod = (pod: Pod, spec: PodSpec, findings: Findings): void => {
  applyRules(RULES, spec, 'spec', findings);
  noteUnknownFields(spec, KNOWN_FIELDS, 'spec', findings);
  for (const [annotation, message] of Object.entries(REFUSED_ANNOTATIONS)) {
    if ((pod.metadata?.annotations?.[annotation] ?? 'false') !== 'false')
      findings.refuse(`metadata.annotations['${annotation}']`, message);
  }
};

/** Seconds between the stop signal and the kill: Fargate takes 2 to 120, fixed in the definition. */
export const stopTimeoutSeconds = (spec: PodSpec): number =>
  Math.min(Math.max(remainingGrace(spec), 2), MAX_GRACE_SECONDS);

/** What is left of the grace period after the longest sleep of a `preStop` hook, which counts in it. */
const remainingGrace = ({ terminationGracePeriodSeconds = 30, containers }: PodSpec): number =>
  terminationGracePeriodSeconds -
  Math.max(0, ...containers.map(({ lifecycle }) => lifecycle?.preStop?.sleep?.seconds ?? 0));
