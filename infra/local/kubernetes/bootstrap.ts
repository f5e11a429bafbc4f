import { SYSTEM } from './access/user.ts';
import type { Api } from './api.ts';
import { createObject } from './objects/create.ts';
import { configMaps } from './resources/config-kinds.ts';
import { namespaces } from './resources/namespaces.ts';
import { services } from './resources/services.ts';

const NAMESPACES = ['default', 'kube-node-lease', 'kube-public', 'kube-system'];

/** The objects every cluster begins with; the namespaces' own furniture comes from NamespaceLifecycle. */
export const bootstrap = async (api: Api, port: number, clientAuthority: string): Promise<void> => {
  for (const name of NAMESPACES) {
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
    await createObject(api, namespaces, namespace, { namespace: undefined, isDryRun: false, user: SYSTEM });
  }
  const service = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'kubernetes', labels: { component: 'apiserver', provider: 'kubernetes' } },
    spec: {
      clusterIP: '10.96.0.1',
      ports: [{ name: 'https', protocol: 'TCP', port: 443, targetPort: port }],
    },
  };
  const authentication = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'extension-apiserver-authentication' },
    data: { 'client-ca-file': clientAuthority },
  };
  await createObject(api, configMaps, authentication, { namespace: 'kube-system', isDryRun: false, user: SYSTEM });
  await createObject(api, services, service, { namespace: 'default', isDryRun: false, user: SYSTEM });
};
