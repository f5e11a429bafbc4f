import { inCluster, inNamespace } from './access.ts';
import { labelsOf, type Manifest, nameOf } from './manifest.ts';
import { clientAuthorityRules, gatewayRules, nodeEventRules } from './rules.ts';

export interface GatewayOptions {
  readonly deployment: string;
  readonly nodes: readonly string[];
  readonly namespace: string;
  readonly image: string;
  /** As the stack tells them: `SVK_TABLE`, `SVK_SETTINGS` … */
  readonly variables: Readonly<Record<string, string>>;
  /** IAM role of its ServiceAccount, on EKS. */
  readonly roleArn: string | undefined;
  /** Who signs its certificates. */
  readonly signer: string;
}

/** Of its first node; the others follow. */
const PORT = 10_250;
const METRICS_PORT = 10_255;

/** A stream gateway in the cluster: who it is, what it may do, and the process itself. */
export const toGateway = (options: GatewayOptions): readonly Manifest[] => {
  const { deployment, nodes, namespace, variables, roleArn } = options;
  const name = `${nameOf(deployment)}-gateway`;
  const labels = labelsOf(deployment);
  const holder = { deployment, name };
  const subjects = [{ kind: 'ServiceAccount', name, namespace }];
  const metadata = { name, namespace, labels };
  return [
    {
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { ...metadata, ...(roleArn && { annotations: { 'eks.amazonaws.com/role-arn': roleArn } }) },
    },
    ...inCluster(holder, gatewayRules(nodes), subjects),
    ...inNamespace(holder, 'default', nodeEventRules(), subjects),
    ...inNamespace(holder, 'kube-system', clientAuthorityRules(), subjects),
    { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: variables },
    { apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec: toDeployment(name, options) },
  ];
};

const toDeployment = (name: string, { deployment, nodes, image, signer }: GatewayOptions): unknown => {
  const labels = { ...labelsOf(deployment), 'app.kubernetes.io/component': 'gateway' };
  return {
    // Each node has one address: a second process would only wait for the first to go.
    replicas: 1,
    strategy: { type: 'Recreate' },
    selector: { matchLabels: labels },
    template: {
      metadata: { labels },
      spec: {
        serviceAccountName: name,
        // For its sessions to be told.
        terminationGracePeriodSeconds: 30,
        securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
        containers: [toContainer(name, nodes, { image, signer })],
      },
    },
  };
};

const toContainer = (
  name: string,
  nodes: readonly string[],
  { image, signer }: Pick<GatewayOptions, 'image' | 'signer'>,
): unknown => ({
  name: 'gateway',
  image,
  args: ['run', '--only=kubelet-api', '--provider=fargate', '--state=dynamodb', `--listen=:${PORT}`],
  env: [
    // Where the API server finds it.
    { name: 'VKUBELET_POD_IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } },
    { name: 'SVK_CERTIFICATE_SIGNER', value: signer },
  ],
  envFrom: [
    { configMapRef: { name } },
    // AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, where no role comes with the ServiceAccount.
    { secretRef: { name: `${name}-aws`, optional: true } },
  ],
  ports: [
    ...nodes.map((_, index) => ({ name: `kubelet-${index}`, containerPort: PORT + index })),
    { name: 'metrics', containerPort: METRICS_PORT },
  ],
  readinessProbe: { httpGet: { path: '/readyz', port: 'metrics' } },
  livenessProbe: { httpGet: { path: '/healthz', port: 'metrics' }, initialDelaySeconds: 30 },
  resources: { requests: { cpu: '50m', memory: '192Mi' }, limits: { memory: '512Mi' } },
  securityContext: {
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  },
});
