import type { Pod } from '../../../model/kubernetes.ts';
import type { Architecture, FargateSettings, Profile } from '../settings.ts';
import type { Findings } from './findings.ts';

const PROFILE_ANNOTATION = 'svk.dev/profile';

export interface Placement {
  readonly profile: Profile;
  readonly architecture: Architecture;
}

/**
 * The profile of the pod's node, or the one its annotation names where that profile lists the pod's namespace.
 * Undefined where the pod has been refused.
 */
export const placementOf = (
  pod: Pod,
  nodeName: string,
  { nodes, profiles }: FargateSettings,
  findings: Findings,
): Placement | undefined => {
  const node = nodes[nodeName];
  if (!node) {
    findings.refuse('spec.nodeName', `node "${nodeName}" is not in the settings of this deployment`);
    return undefined;
  }
  const namespace = pod.metadata?.namespace ?? 'default';
  const wish = pod.metadata?.annotations?.[PROFILE_ANNOTATION];
  const profile = profiles[wish ?? node.profile];
  if (!profile || (wish !== undefined && wish !== node.profile && !profile.namespaces.includes(namespace))) {
    findings.refuse(
      `metadata.annotations['${PROFILE_ANNOTATION}']`,
      `profile "${wish ?? node.profile}" is not open to namespace "${namespace}": remove the annotation or have the namespace listed`,
    );
    return undefined;
  }
  return { profile, architecture: node.architecture };
};
