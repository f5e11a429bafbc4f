import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { parse, stringify } from 'yaml';
import { freePort } from '../../infra/local/cloud/ports.ts';
import { type Child, startChild } from './child.ts';
import type { ControlPlane } from './control-plane.ts';

const run = promisify(execFile);

/**
 * Starts metrics-server on a control plane as its stock manifest does: with a token of its own service account and no more
 * rights than that, looking at nodes every 15 s at the port in their status. Their certificates are not checked.
 */
export const startMetricsServer = async (
  program: string,
  { kubeconfig, folder }: Pick<ControlPlane, 'kubeconfig' | 'folder'>,
): Promise<Child> => {
  const port = await freePort();
  const manifest = path.join(folder, 'metrics-server.json');
  await writeFile(manifest, JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects(port) }));
  await run('kubectl', ['--kubeconfig', kubeconfig, 'apply', '-f', manifest]);
  const own = path.join(folder, 'metrics-server.kubeconfig');
  await writeFile(own, await kubeconfigWithToken(kubeconfig), { mode: 0o600 });
  return startChild(
    [
      program,
      `--kubeconfig=${own}`,
      `--authentication-kubeconfig=${own}`,
      `--authorization-kubeconfig=${own}`,
      '--bind-address=127.0.0.1',
      `--secure-port=${port}`,
      `--cert-dir=${path.join(folder, 'metrics-server-certificates')}`,
      '--metric-resolution=15s',
      '--kubelet-preferred-address-types=InternalIP,ExternalIP,Hostname',
      '--kubelet-use-node-status-port',
      '--kubelet-insecure-tls',
    ],
    { env: { PATH: process.env['PATH'] }, log: path.join(folder, 'metrics-server.log') },
  );
};

const account = { kind: 'ServiceAccount', name: 'metrics-server', namespace: 'kube-system' };

const binding = (name: string, role: string): unknown => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRoleBinding',
  metadata: { name },
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
  subjects: [account],
});

/** metrics-server's `components.yaml` without its Deployment: it runs beside the API server. */
const objects = (port: number): readonly unknown[] => [
  { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: account.name, namespace: account.namespace } },
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name: 'system:metrics-server' },
    rules: [
      { apiGroups: [''], resources: ['nodes/metrics'], verbs: ['get'] },
      { apiGroups: [''], resources: ['pods', 'nodes'], verbs: ['get', 'list', 'watch'] },
    ],
  },
  binding('system:metrics-server', 'system:metrics-server'),
  binding('metrics-server:system:auth-delegator', 'system:auth-delegator'),
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    metadata: { name: 'metrics-server-auth-reader', namespace: 'kube-system' },
    roleRef: {
      apiGroup: 'rbac.authorization.k8s.io',
      kind: 'Role',
      name: 'extension-apiserver-authentication-reader',
    },
    subjects: [account],
  },
  {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'metrics-server', namespace: 'kube-system' },
    spec: { type: 'ExternalName', externalName: 'localhost', ports: [{ port }] },
  },
  {
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: { name: 'v1beta1.metrics.k8s.io' },
    spec: {
      service: { name: 'metrics-server', namespace: 'kube-system', port },
      group: 'metrics.k8s.io',
      version: 'v1beta1',
      insecureSkipTLSVerify: true,
      groupPriorityMinimum: 100,
      versionPriority: 100,
    },
  },
];

const kubeconfigWithToken = async (kubeconfig: string): Promise<string> => {
  const args = ['--kubeconfig', kubeconfig, '-n', account.namespace, 'create', 'token', account.name];
  const token = (await run('kubectl', args)).stdout.trim();
  const { clusters } = parse(await readFile(kubeconfig, 'utf8')) as { readonly clusters: { readonly name: string }[] };
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters,
    users: [{ name: account.name, user: { token } }],
    contexts: [{ name: 'own', context: { cluster: clusters[0]?.name, user: account.name } }],
    'current-context': 'own',
  });
};
