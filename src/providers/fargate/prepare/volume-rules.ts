import type { PodSpec } from '../../../model/kubernetes.ts';
import type { Findings } from './findings.ts';

type Volume = NonNullable<PodSpec['volumes']>[number];

/** Fargate could hold these; this version does not build them yet. */
const NOT_YET = new Set(['emptyDir', 'configMap', 'secret', 'projected', 'downwardAPI', 'persistentVolumeClaim']);

const TOKEN_ADVICE = 'set automountServiceAccountToken: false if the pod does not call the API server';

/**
 * No volume can be mounted yet, so every one is refused by name; but for the token volume that API servers add to each
 * pod of the ServiceAccount `default`, which is left out silently.
 */
export const checkVolumes = (spec: PodSpec, findings: Findings): void => {
  for (const [index, volume] of (spec.volumes ?? []).entries()) {
    const kind = kindOf(volume);
    const field = `spec.volumes[${index}].${kind}`;
    if (isAutomaticToken(volume)) {
      if (usesDefaultAccount(spec)) continue;
      const account = spec.serviceAccountName;
      findings.refuse(field, `the token of ServiceAccount "${account}" cannot be delivered yet: ${TOKEN_ADVICE}`);
    } else if (NOT_YET.has(kind)) {
      findings.refuse(field, `volume "${volume.name}": ${kind} volumes are not supported yet: remove it`);
    } else {
      findings.refuse(field, `volume "${volume.name}": Fargate has no ${kind} volumes: remove it`);
    }
  }
};

/** A volume names its kind by the one field it has besides its name. */
const kindOf = (volume: Volume): string =>
  Object.entries(volume).find(([key, value]) => key !== 'name' && value !== undefined)?.[0] ?? 'emptyDir';

const usesDefaultAccount = ({ serviceAccountName = '' }: PodSpec): boolean =>
  serviceAccountName === '' || serviceAccountName === 'default';

/** As the ServiceAccount admission plugin makes it: name `kube-api-access-…`, a token, the root CA, the namespace. */
const isAutomaticToken = ({ name, projected }: Volume): boolean =>
  name.startsWith('kube-api-access-') &&
  (projected?.sources ?? []).some(({ serviceAccountToken }) => serviceAccountToken !== undefined);
