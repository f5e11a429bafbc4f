import type { Service } from '../../../model/kubernetes.ts';

/**
 * kubelet's service variables (`pkg/kubelet/envvars`), sorted by service: for every service with a cluster IP
 * `N_SERVICE_HOST`, `N_SERVICE_PORT`, one `N_SERVICE_PORT_<PORT NAME>` per named port, and Docker's link variables.
 * Without `links` only `kubernetes` of namespace `default` counts; with them a service of the pod's own namespace
 * hides it where it has that name.
 */
export const serviceVariables = (
  services: readonly Service[],
  { namespace, links }: { readonly namespace: string; readonly links: boolean },
): readonly (readonly [name: string, value: string])[] => {
  const visible = new Map<string, Service>();
  for (const service of services.filter(hasClusterIp)) {
    const name = service.metadata?.name ?? '';
    const own = links && service.metadata?.namespace === namespace;
    const api = service.metadata?.namespace === 'default' && name === 'kubernetes';
    if (own || (api && !visible.has(name))) visible.set(name, service);
  }
  return [...visible.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).flatMap(([, service]) => variablesOf(service));
};

const hasClusterIp = ({ spec }: Service): boolean => Boolean(spec?.clusterIP) && spec?.clusterIP !== 'None';

const variablesOf = ({ metadata, spec }: Service): (readonly [string, string])[] => {
  const prefix = variableName(metadata?.name ?? '');
  const host = spec?.clusterIP ?? '';
  const ports = spec?.ports ?? [];
  const [first] = ports;
  if (!first) return [[`${prefix}_SERVICE_HOST`, host]];

  const links = ports.map(({ port, protocol = 'TCP' }) => ({ port, protocol, url: urlOf(protocol, host, port) }));
  return [
    [`${prefix}_SERVICE_HOST`, host],
    [`${prefix}_SERVICE_PORT`, String(first.port)],
    ...ports.flatMap(({ name, port }): [string, string][] =>
      name ? [[`${prefix}_SERVICE_PORT_${variableName(name)}`, String(port)]] : [],
    ),
    [`${prefix}_PORT`, urlOf(first.protocol ?? 'TCP', host, first.port)],
    ...links.flatMap(({ port, protocol, url }): [string, string][] => {
      const link = `${prefix}_PORT_${port}_${protocol.toUpperCase()}`;
      return [
        [link, url],
        [`${link}_PROTO`, protocol.toLowerCase()],
        [`${link}_PORT`, String(port)],
        [`${link}_ADDR`, host],
      ];
    }),
  ];
};

const urlOf = (protocol: string, host: string, port: number): string =>
  `${protocol.toLowerCase()}://${host.includes(':') ? `[${host}]` : host}:${port}`;

const variableName = (name: string): string => name.toUpperCase().replaceAll('-', '_');
