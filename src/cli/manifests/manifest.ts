/** A Kubernetes object as it is written; our types of Kubernetes end where an object is only written once. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string } & Readonly<Record<string, unknown>>;
  readonly [field: string]: unknown;
}

/** Labels of everything that belongs to a deployment, so that it can be found and removed as a whole. */
export const labelsOf = (deployment: string): Readonly<Record<string, string>> => ({
  'app.kubernetes.io/name': 'serverless-virtual-kubelet',
  'app.kubernetes.io/instance': deployment,
});

/** The name of what a deployment has one of. */
export const nameOf = (deployment: string): string => `svk-${deployment}`;
