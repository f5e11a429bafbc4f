/**
 * Which login fits an image, by the rules of kubelet's keyring (pkg/credentialprovider/keyring.go): a registry may be
 * written with or without scheme, with a path that the image's must begin with, and with `*` and `?` within the parts of
 * its host name; longer names win, and logins for Docker Hub fit every image without a registry.
 */
export const loginFor = <T extends { readonly registry: string }>(
  image: string,
  logins: readonly T[],
): T | undefined => {
  const target = locationOf(normalName(image));
  const keyed = logins.map((login) => ({ login, key: keyOf(login.registry) }));
  const fitting = keyed.filter(({ key }) => matches(locationOf(key), target)).sort((a, b) => descending(a.key, b.key));
  const chosen = fitting[0] ?? (isOfDockerHub(image) ? keyed.find(({ key }) => key === DOCKER_HUB) : undefined);
  return chosen?.login;
};

const DOCKER_HUB = 'index.docker.io';

interface Location {
  readonly host: readonly string[];
  readonly port: string;
  readonly path: string;
}

/** Without scheme, and without the `/v1/` or `/v2/` that Docker writes behind the host. */
const keyOf = (registry: string): string => {
  const bare = registry.replace(/^https?:\/\//, '');
  const slash = bare.indexOf('/');
  if (slash === -1) return bare;
  const path = bare.slice(slash).replace(/^\/v[12]\//, '/');
  return path === '/' ? bare.slice(0, slash) : bare.slice(0, slash) + path;
};

const locationOf = (key: string): Location => {
  const slash = key.indexOf('/');
  const [name = '', port = ''] = (slash === -1 ? key : key.slice(0, slash)).split(':');
  return { host: name.split('.'), port, path: slash === -1 ? '' : key.slice(slash) };
};

const matches = (glob: Location, target: Location): boolean =>
  glob.port === target.port &&
  glob.host.length === target.host.length &&
  target.path.startsWith(glob.path) &&
  glob.host.every((part, index) => partPattern(part).test(target.host[index] ?? ''));

/** `*` stands for any characters of one part of a host name, `?` for one. */
const partPattern = (part: string): RegExp =>
  new RegExp(
    `^${part
      .replaceAll(/[.+^${}()|[\]\\]/g, '\\$&')
      .replaceAll('*', '.*')
      .replaceAll('?', '.')}$`,
  );

/** The name in full, without tag and digest: `docker.io/library/nginx` for `nginx:1.27`. */
const normalName = (image: string): string => {
  const [withoutDigest = ''] = image.split('@');
  const name = withoutDigest.replace(/:[^/:]*$/, '');
  if (isOfDockerHub(image)) {
    const rest = name.replace(/^(index\.)?docker\.io\//, '');
    return `docker.io/${rest.includes('/') ? rest : `library/${rest}`}`;
  }
  return name;
};

/** Docker takes the first part for a registry where it has a dot or a colon, or is `localhost`. */
const isOfDockerHub = (image: string): boolean => {
  const slash = image.indexOf('/');
  if (slash === -1) return true;
  const first = image.slice(0, slash);
  if (first === 'docker.io' || first === 'index.docker.io') return true;
  return first !== 'localhost' && !/[.:]/.test(first);
};

const descending = (a: string, b: string): number => (a < b ? 1 : a > b ? -1 : 0);
