import { labelsOf, type Manifest, nameOf } from './manifest.ts';

export interface WebhookOptions {
  readonly deployment: string;
  /** Names of the deployment's nodes: the API server itself sorts out what is none of our business. */
  readonly nodes: readonly string[];
  /** `https://host/admission/<secret>`. */
  readonly url: string;
  /** PEM; undefined where a public CA has signed the endpoint's certificate. */
  readonly certificateAuthority?: string;
}

/**
 * What makes the API server tell us of a bind, of a pod created with its node, and of a delete, at once. It never decides:
 * `failurePolicy: Ignore`, two seconds at most, and the CEL conditions keep other nodes' pods from being sent at all.
 * (Kubernetes: "Dynamic Admission Control", match conditions.)
 */
export const toWebhookConfiguration = ({ deployment, nodes, url, certificateAuthority }: WebhookOptions): Manifest => {
  const names = `[${nodes.map((node) => `'${node}'`).join(', ')}]`;
  const common = {
    admissionReviewVersions: ['v1'],
    clientConfig: {
      url,
      ...(certificateAuthority !== undefined && { caBundle: Buffer.from(certificateAuthority).toString('base64') }),
    },
    failurePolicy: 'Ignore',
    sideEffects: 'NoneOnDryRun',
    timeoutSeconds: 2,
  };
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name: webhookName(deployment), labels: labelsOf(deployment) },
    webhooks: [
      {
        ...common,
        name: 'bind.svk.dev',
        rules: [rule(['CREATE'], 'pods/binding')],
        matchConditions: [{ name: 'our-nodes', expression: `object.target.name in ${names}` }],
      },
      {
        ...common,
        name: 'pods.svk.dev',
        rules: [rule(['CREATE', 'DELETE'], 'pods')],
        matchConditions: [
          {
            name: 'our-nodes',
            expression: `(oldObject != null ? oldObject : object).?spec.?nodeName.orValue('') in ${names}`,
          },
        ],
      },
    ],
  };
};

/** Of the one configuration of a deployment. */
export const webhookName = (deployment: string): string => nameOf(deployment);

const rule = (operations: readonly string[], resource: string): object => ({
  apiGroups: [''],
  apiVersions: ['v1'],
  operations,
  resources: [resource],
  scope: 'Namespaced',
});
