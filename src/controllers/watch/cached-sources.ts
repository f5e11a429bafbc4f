import type { ConfigMap, Secret, Service } from '../../model/kubernetes.ts';
import type { SourcesApi } from '../../ports/kubernetes.ts';
import type { ReflectorSink } from './reflector.ts';
import { slim } from './slim.ts';

/** Services as the watch shows them, by namespace. */
export class ServiceCache implements ReflectorSink<Service> {
  readonly #byNamespace = new Map<string, Map<string, Service>>();
  #listed = false;

  replaced(services: readonly Service[]): void {
    this.#byNamespace.clear();
    for (const service of services) this.#in(service).set(nameOf(service), slim(service));
    this.#listed = true;
  }

  changed(type: 'ADDED' | 'MODIFIED' | 'DELETED', service: Service): void {
    if (type === 'DELETED') this.#in(service).delete(nameOf(service));
    else this.#in(service).set(nameOf(service), slim(service));
  }

  /** Of one namespace; undefined before the first list. */
  services(namespace: string): readonly Service[] | undefined {
    return this.#listed ? [...(this.#byNamespace.get(namespace)?.values() ?? [])] : undefined;
  }

  #in({ metadata }: Service): Map<string, Service> {
    const namespace = metadata?.namespace ?? '';
    const services = this.#byNamespace.get(namespace) ?? new Map<string, Service>();
    this.#byNamespace.set(namespace, services);
    return services;
  }
}

const nameOf = ({ metadata }: Service): string => metadata?.name ?? '';

/**
 * What pods refer to, services out of the cache where it is filled. ConfigMaps and Secrets are read one by one: a node
 * that keeps a copy of every Secret of its cluster would be worth stealing.
 */
export class CachedSources implements SourcesApi {
  readonly #live: SourcesApi;
  readonly #cache: ServiceCache;

  constructor(live: SourcesApi, cache: ServiceCache) {
    this.#live = live;
    this.#cache = cache;
  }

  configMap(namespace: string, name: string, signal: AbortSignal): Promise<ConfigMap> {
    return this.#live.configMap(namespace, name, signal);
  }

  secret(namespace: string, name: string, signal: AbortSignal): Promise<Secret> {
    return this.#live.secret(namespace, name, signal);
  }

  async services(namespace: string, signal: AbortSignal): Promise<readonly Service[]> {
    return this.#cache.services(namespace) ?? this.#live.services(namespace, signal);
  }

  async service(namespace: string, name: string, signal: AbortSignal): Promise<Service> {
    const held = this.#cache.services(namespace)?.find((service) => nameOf(service) === name);
    return held ?? this.#live.service(namespace, name, signal);
  }
}
