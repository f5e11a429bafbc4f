import type { EnvironmentSources } from '../../../../src/controllers/pod/environment/environment-sources.ts';
import { resolveEnvironment } from '../../../../src/controllers/pod/environment/resolve-environment.ts';
import type { Container, Pod } from '../../../../src/model/kubernetes.ts';

/** Pod `web-0` of namespace `shop` with this container `main`. */
export const podWith = (container: Partial<Container>, spec: Partial<Pod['spec']> = {}): Pod => ({
  metadata: {
    name: 'web-0',
    namespace: 'shop',
    uid: 'uid-1',
    labels: { tier: 'backend' },
    annotations: { 'build.example.com/id': '4711' },
  },
  spec: {
    serviceAccountName: 'reader',
    containers: [{ name: 'main', image: 'app:1', ...container }],
    ...spec,
  },
});

/** Sources without anything but these. */
export const sourcesWith = (sources: Partial<EnvironmentSources> = {}): EnvironmentSources => ({
  node: 'fargate',
  configMaps: {},
  secrets: {},
  services: [],
  ...sources,
});

/** A Secret's value as the API server holds it. */
export const base64 = (text: string): string => Buffer.from(text).toString('base64');
/** A source that could be read. */
export const found = <T>(object: T): { readonly kind: 'found'; readonly object: T } => ({ kind: 'found', object });

/** Name -> value of the variables of `main`. */
export const values = (
  container: Partial<Container>,
  sources: Partial<EnvironmentSources> = {},
): Record<string, string> =>
  Object.fromEntries(
    (resolveEnvironment(podWith(container), sourcesWith(sources)).environment.main?.env ?? []).map(
      ({ name, value }) => [name, value],
    ),
  );
