import type { Pod, Secret } from '../../../model/kubernetes.ts';
import type { RegistryLogin } from '../../../model/registry-login.ts';
import { containersOf, type Fetched } from '../environment/environment-sources.ts';
import { pullSecretContent, type RegistryEntry } from './docker-config.ts';
import { loginFor } from './keyring.ts';

/** What came of a pod's `imagePullSecrets`. */
export interface RegistryLogins {
  /** By container name; containers whose image no login fits are left out. */
  readonly logins: Readonly<Record<string, RegistryLogin>>;
  /** One text for each Secret that is of no use, for a Warning event. Never with a value. */
  readonly faults: readonly string[];
}

/** kubelet's reason of the event about pull secrets that are of no use. */
export const PULL_SECRET_FAULT = 'FailedToRetrieveImagePullSecret';

/**
 * The images of a pod that are pulled with a login of the pod's, as `needsLogin` says; no Secret need be read where there
 * are none. The ServiceAccount's pull secrets are among the pod's: the API server puts them there.
 */
export const pullSecretsOf = (pod: Pod, needsLogin: (image: string) => boolean): readonly string[] => {
  const images = containersOf(pod).map(({ image = '' }) => image);
  if (!images.some(needsLogin)) return [];
  return [...new Set((pod.spec?.imagePullSecrets ?? []).flatMap(({ name }) => name || []))];
};

/** As a kubelet, goes on without the Secrets that are not there, not granted or no logins. Pure. */
export const registryLogins = (
  pod: Pod,
  names: readonly string[],
  secrets: Readonly<Record<string, Fetched<Secret>>>,
  needsLogin: (image: string) => boolean,
): RegistryLogins => {
  const namespace = pod.metadata?.namespace ?? 'default';
  const read = names.map((name) => ({ name, ...contentOf(secrets[name], namespace) }));
  const entries = read.flatMap(({ name, entries: own }) => own.map((entry) => ({ secret: name, ...entry })));
  const logins = containersOf(pod).flatMap(({ name, image = '' }): (readonly [string, RegistryLogin])[] => {
    const login = needsLogin(image) ? loginFor(image, entries) : undefined;
    return login ? [[name, { secret: login.secret, username: login.username, password: login.password }]] : [];
  });
  return {
    logins: Object.fromEntries(logins),
    faults: read.flatMap(({ name, fault }) =>
      fault === undefined
        ? []
        : `Unable to retrieve some image pull secrets (${name}); attempting to pull the image may not succeed: ${fault}`,
    ),
  };
};

const contentOf = (
  fetched: Fetched<Secret> | undefined,
  namespace: string,
): { readonly entries: readonly RegistryEntry[]; readonly fault?: string } => {
  switch (fetched?.kind) {
    case undefined:
    case 'not-found':
      return { entries: [], fault: 'the Secret is not there' };
    case 'unreadable':
      return {
        entries: [],
        fault: `the node may not read it: grant it by "svk manifests --namespaces ${namespace}" and kubectl apply (${fetched.message})`,
      };
    case 'found': {
      const content = pullSecretContent(fetched.object);
      return content.ok ? { entries: content.entries } : { entries: [], fault: `the Secret ${content.fault}` };
    }
    default:
      return fetched satisfies never;
  }
};
