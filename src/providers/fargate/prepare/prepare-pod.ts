import type { Allocatable } from '../../../model/environment.ts';
import type { Pod, PodSpec } from '../../../model/kubernetes.ts';
import type { PodSources, Preparation } from '../../../ports/provider.ts';
import type { FargateDeployment } from '../deployment.ts';
import type { Profile } from '../settings.ts';
import { checkContainer } from './container-rules.ts';
import { draftTask, type TaskDraft } from './draft-task.ts';
import { Findings } from './findings.ts';
import { checkPod } from './pod-rules.ts';
import type { FargatePrepared, RunInput } from './prepared.ts';
import { placementOf } from './profile.ts';
import { DEFAULT_STORAGE_GIB, needOf, type ResourceNeed } from './resource-need.ts';
import { checkContainerSecurity, checkPodSecurity } from './security-rules.ts';
import { tagsOf } from './tags.ts';
import { taskRoleOf } from './task-role.ts';
import { cheapestTaskSize, LARGEST_SIZE, sizeInWords, type TaskSize } from './task-size.ts';
import { checkVolumes } from './volume-rules.ts';

const EXEC_ANNOTATION = 'svk.dev/exec';

/** What the pod becomes on Fargate, or every reason why it cannot. Pure; see `Provider.prepare`. */
export const preparePod = (
  pod: Pod,
  sources: PodSources,
  deployment: FargateDeployment,
): Preparation<FargatePrepared> => {
  const findings = new Findings();
  const spec: PodSpec = pod.spec ?? { containers: [] };
  checkEverything(pod, spec, findings);
  const placement = placementOf(pod, sources.node, deployment.settings, findings);
  const need = needOf(spec, findings);
  const size = cheapestTaskSize(need);
  if (!size)
    findings.refuse(
      'spec.containers[0].resources',
      `${sizeInWords(need)}: the largest task has ${sizeInWords(LARGEST_SIZE)}`,
    );
  const taskRoleArn = taskRoleOf(pod, deployment, findings);
  const { taskRoleArn: _, ...rest } = deployment;
  const own = { ...rest, ...(taskRoleArn !== undefined && { taskRoleArn }) };
  const draft = placement && size && draftTask(pod, spec, sources, { placement, need, size }, own, findings);
  const exec = wantsExec(pod, own);
  if (exec) noteReadOnlyRoot(spec, findings);

  if (!draft || findings.problems.length > 0) return { ok: false, problems: findings.problems };
  return {
    ok: true,
    prepared: {
      podUid: pod.metadata?.uid ?? '',
      definitionHash: draft.definitionHash,
      definition: draft.definition,
      parameters: draft.parameters,
      logins: draft.logins,
      run: runInput(pod, sources.node, placement.profile, draft, exec),
    },
    notes: findings.notes,
    summary: summaryOf(size, need),
  };
};

/** The size the pod would get, for environment variables; see `Provider.allocatable`. */
export const allocatableOf = (pod: Pod): Allocatable | undefined => {
  const need = needOf(pod.spec ?? { containers: [] }, new Findings());
  const size = cheapestTaskSize(need);
  return (
    size && {
      cpu: `${(size.cpuUnits * 1000) / 1024}m`,
      memory: `${size.memoryMiB}Mi`,
      'ephemeral-storage': `${need.storageGiB ?? DEFAULT_STORAGE_GIB}Gi`,
    }
  );
};

const checkEverything = (pod: Pod, spec: PodSpec, findings: Findings): void => {
  checkPod(pod, spec, findings);
  for (const list of ['initContainers', 'containers'] as const) {
    for (const [index, container] of (spec[list] ?? []).entries()) {
      const path = `spec.${list}[${index}]`;
      checkContainer(container, path, findings);
      checkContainerSecurity(container, spec, path, findings);
    }
  }
  checkVolumes(spec, findings);
  checkPodSecurity(spec, findings);
};

const runInput = (pod: Pod, node: string, profile: Profile, { overrides }: TaskDraft, exec: boolean): RunInput => ({
  ...(profile.capacityProvider === 'FARGATE'
    ? { launchType: 'FARGATE' }
    : { capacityProviderStrategy: [{ capacityProvider: profile.capacityProvider, weight: 1 }] }),
  ...(profile.platformVersion !== undefined && { platformVersion: profile.platformVersion }),
  networkConfiguration: {
    awsvpcConfiguration: {
      subnets: [...profile.subnets],
      securityGroups: [...profile.securityGroups],
      assignPublicIp: profile.assignPublicIp ? 'ENABLED' : 'DISABLED',
    },
  },
  ...(overrides && { overrides }),
  enableExecuteCommand: exec,
  tags: tagsOf(pod, node),
});

const wantsExec = (pod: Pod, { taskRoleArn }: FargateDeployment): boolean =>
  taskRoleArn !== undefined && pod.metadata?.annotations?.[EXEC_ANNOTATION] !== 'false';

const noteReadOnlyRoot = ({ containers }: PodSpec, findings: Findings): void => {
  for (const [index, { securityContext }] of containers.entries()) {
    if (securityContext?.readOnlyRootFilesystem === true)
      findings.note(
        `spec.containers[${index}].securityContext.readOnlyRootFilesystem`,
        'kubectl exec needs a writable root and will fail',
      );
  }
};

const summaryOf = (size: TaskSize, need: ResourceNeed): string => {
  const storage = need.storageGiB === undefined ? '' : `, ${need.storageGiB} GiB of storage`;
  return need.cpuUnits === 0 && need.memoryMiB === 0
    ? `${sizeInWords(size)}${storage}: the smallest task, because the pod names no resources`
    : `${sizeInWords(size)}${storage}: the cheapest task that holds ${sizeInWords(need)}`;
};
