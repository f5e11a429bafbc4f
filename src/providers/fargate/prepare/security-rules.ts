import type { Container, PodSpec } from '../../../model/kubernetes.ts';
import { impossibleCapabilities } from './capabilities.ts';
import { applyRules, type FieldRule, type Findings, noteUnknownFields } from './findings.ts';

type PodSecurity = NonNullable<PodSpec['securityContext']>;
type ContainerSecurity = NonNullable<Container['securityContext']>;

/** `linuxParameters`' systemControls that tasks with awsvpc networking may set. */
const ALLOWED_SYSCTLS =
  /^(net\.|fs\.mqueue\.|kernel\.(msgmax|msgmnb|msgmni|sem|shmall|shmmax|shmmni|shm_rmid_forced)$)/;

/** The same in both contexts. */
const SHARED_RULES: readonly FieldRule<PodSecurity | ContainerSecurity>[] = [
  {
    field: 'seccompProfile',
    verdict: 'refuse',
    applies: ({ seccompProfile }) => seccompProfile?.type === 'Localhost',
    message: 'there is no node to take a seccomp profile from: use RuntimeDefault',
  },
  {
    field: 'seccompProfile',
    verdict: 'note',
    applies: ({ seccompProfile }) => seccompProfile?.type === 'Unconfined',
    message: 'the default profile of the runtime applies',
  },
  {
    field: 'appArmorProfile',
    verdict: 'refuse',
    applies: ({ appArmorProfile }) => appArmorProfile?.type === 'Localhost',
    message: 'there is no node to take an AppArmor profile from: use RuntimeDefault',
  },
  {
    field: 'seLinuxOptions',
    verdict: 'refuse',
    applies: ({ seLinuxOptions }) => seLinuxOptions !== undefined && Object.keys(seLinuxOptions).length > 0,
    message: 'Fargate has no SELinux: remove the options',
  },
  {
    field: 'windowsOptions',
    verdict: 'refuse',
    applies: ({ windowsOptions }) => windowsOptions !== undefined && Object.keys(windowsOptions).length > 0,
    message: 'this node runs Linux only: remove the options',
  },
];

const POD_RULES: readonly FieldRule<PodSecurity>[] = [
  {
    field: 'fsGroup',
    verdict: 'note',
    applies: ({ fsGroup }) => fsGroup !== undefined,
    message: 'a Fargate task has no supplementary groups: give files to the user of the container',
  },
  {
    field: 'supplementalGroups',
    verdict: 'note',
    applies: ({ supplementalGroups = [] }) => supplementalGroups.length > 0,
    message: 'a Fargate task has no supplementary groups: give files to the user of the container',
  },
];

const CONTAINER_RULES: readonly FieldRule<ContainerSecurity>[] = [
  {
    field: 'privileged',
    verdict: 'refuse',
    applies: ({ privileged }) => privileged === true,
    message: 'Fargate runs no privileged containers: run this pod on another node',
  },
  {
    field: 'procMount',
    verdict: 'refuse',
    applies: ({ procMount = 'Default' }) => procMount !== 'Default',
    message: 'Fargate mounts /proc with its default masks only: use Default',
  },
];

/** Decided elsewhere in this provider, or without meaning where there are no volumes and no SELinux. */
const OTHER_FIELDS: readonly string[] = [
  'allowPrivilegeEscalation',
  'capabilities',
  'fsGroupChangePolicy',
  'readOnlyRootFilesystem',
  'runAsGroup',
  'runAsNonRoot',
  'runAsUser',
  'seLinuxChangePolicy',
  'supplementalGroupsPolicy',
  'sysctls',
];

const KNOWN_FIELDS = new Set([
  ...OTHER_FIELDS,
  ...[...SHARED_RULES, ...POD_RULES, ...CONTAINER_RULES].map(({ field }) => field),
]);

/** Rules about the pod's security context. */
export const checkPodSecurity = ({ securityContext = {} }: PodSpec, findings: Findings): void => {
  const path = 'spec.securityContext';
  applyRules<PodSecurity>([...SHARED_RULES, ...POD_RULES], securityContext, path, findings);
  noteUnknownFields(securityContext, KNOWN_FIELDS, path, findings);
  for (const [index, { name }] of (securityContext.sysctls ?? []).entries()) {
    if (!ALLOWED_SYSCTLS.test(name))
      findings.refuse(
        `${path}.sysctls[${index}].name`,
        `Fargate cannot set ${name}: it sets net.*, fs.mqueue.* and the kernel's IPC limits`,
      );
  }
};

/** Rules about a container's security context, and about the user that follows from both contexts. */
export const checkContainerSecurity = (container: Container, spec: PodSpec, path: string, findings: Findings): void => {
  const { securityContext = {} } = container;
  const field = `${path}.securityContext`;
  applyRules<ContainerSecurity>([...SHARED_RULES, ...CONTAINER_RULES], securityContext, field, findings);
  noteUnknownFields(securityContext, KNOWN_FIELDS, field, findings);

  const impossible = impossibleCapabilities(securityContext.capabilities ?? {});
  if (impossible.length > 0)
    findings.refuse(
      `${field}.capabilities.add`,
      `Fargate cannot add ${impossible.join(', ')}: it adds SYS_PTRACE only`,
    );

  const { runAsUser, runAsGroup, runAsNonRoot } = effectiveUser(container, spec);
  if (runAsGroup !== undefined && runAsUser === undefined)
    findings.refuse(`${field}.runAsGroup`, 'Fargate sets a group only beside a user: set runAsUser too');
  if (runAsNonRoot === true && runAsUser === undefined)
    findings.note(`${field}.runAsNonRoot`, 'the user of the image cannot be checked: set runAsUser to be sure');
  if (runAsNonRoot === true && runAsUser === 0)
    findings.refuse(`${field}.runAsUser`, 'breaks runAsNonRoot: choose another user than 0');
};

/** `uid[:gid]` for the definition; undefined where the image decides. */
export const userOf = (container: Container, spec: PodSpec): string | undefined => {
  const { runAsUser, runAsGroup } = effectiveUser(container, spec);
  if (runAsUser === undefined) return undefined;
  return runAsGroup === undefined ? String(runAsUser) : `${runAsUser}:${runAsGroup}`;
};

const effectiveUser = (
  { securityContext: own }: Container,
  { securityContext: shared }: PodSpec,
): Pick<PodSecurity, 'runAsUser' | 'runAsGroup' | 'runAsNonRoot'> => {
  const runAsUser = own?.runAsUser ?? shared?.runAsUser;
  const runAsGroup = own?.runAsGroup ?? shared?.runAsGroup;
  const runAsNonRoot = own?.runAsNonRoot ?? shared?.runAsNonRoot;
  return {
    ...(runAsUser !== undefined && { runAsUser }),
    ...(runAsGroup !== undefined && { runAsGroup }),
    ...(runAsNonRoot !== undefined && { runAsNonRoot }),
  };
};
