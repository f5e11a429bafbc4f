import { SYSTEM } from '../access/user.ts';
import type { Api } from '../api.ts';
import type { KubernetesObject } from '../model/object.ts';
import { createObject } from '../objects/create.ts';
import { deleteIfThere } from '../requests/remove.ts';
import { configMaps, serviceAccounts } from '../resources/config-kinds.ts';
import { resources } from '../resources/registry.ts';
import { asNamespace } from '../resources/typed.ts';
import { Work } from './work.ts';

const CONTENT = resources.filter(({ isNamespaced, conversion }) => isNamespaced && !conversion);

/**
 * Gives each namespace its `default` ServiceAccount and the CA's certificate, again where somebody deletes them, and
 * empties namespaces that are going until they can go.
 */
export class NamespaceLifecycle {
  readonly #api: Api;
  readonly #certificateAuthority: string;
  readonly #work: Work;

  constructor(api: Api, certificateAuthority: string) {
    this.#api = api;
    this.#certificateAuthority = certificateAuthority;
    this.#work = new Work(() => this.#sync(), api.closing);
  }

  start(): void {
    const { store } = this.#api;
    store.listen('namespaces', ({ type, object }) => {
      if (type === 'ADDED') this.#furnish(object.metadata.name ?? '');
      else this.#work.wake();
    });
    for (const { resource } of CONTENT) {
      store.listen(resource, ({ type }) => {
        if (type === 'DELETED') this.#work.wake();
      });
    }
  }

  /** At once, so that a pod created right after its namespace finds its account. */
  #furnish(namespace: string): void {
    const { store } = this.#api;
    const options = { namespace, isDryRun: false, user: SYSTEM };
    if (!store.get('serviceaccounts', namespace, 'default')) {
      const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default' } };
      void createObject(this.#api, serviceAccounts, account, options);
    }
    if (!store.get('configmaps', namespace, 'kube-root-ca.crt')) {
      const authority = {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: {
          name: 'kube-root-ca.crt',
          annotations: {
            'kubernetes.io/description':
              'Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.',
          },
        },
        data: { 'ca.crt': this.#certificateAuthority },
      };
      void createObject(this.#api, configMaps, authority, options);
    }
  }

  async #sync(): Promise<void> {
    for (const namespace of this.#api.store.list('namespaces')) {
      if (asNamespace(namespace).status?.phase === 'Terminating') await this.#empty(namespace);
      else this.#furnish(namespace.metadata.name ?? '');
    }
  }

  async #empty(namespace: KubernetesObject): Promise<void> {
    const { store } = this.#api;
    const { name = '' } = namespace.metadata;
    for (const definition of CONTENT) {
      for (const object of store.list(definition.resource, name)) {
        if (object.metadata.deletionTimestamp) continue;
        await deleteIfThere(this.#api, definition, object.metadata, { isDryRun: false }, SYSTEM);
      }
    }
    const current = store.get('namespaces', undefined, name);
    const isEmpty = CONTENT.every(({ resource }) => store.list(resource, name).length === 0);
    if (current && isEmpty && (current.metadata.finalizers ?? []).length === 0) {
      store.remove('namespaces', { ...current, spec: {} });
    }
  }
}
