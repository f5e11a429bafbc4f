import { StartFailure } from '../runtime.ts';
import { EngineGone, messageOf } from './engine-error.ts';

/**
 * The engine's reason why an image cannot be had, in the words of Fargate 1.4 (ECS developer guide, "CannotPullContainer
 * task errors"). Texts of which nothing is known are kept as they are behind the error's name.
 */
export const pullFailure = (image: string, error: unknown): StartFailure => {
  const text = messageOf(error);
  if (error instanceof EngineGone) return new StartFailure(`CannotPullContainerError: ${text}`);
  const known = pullWords.find(({ pattern }) => pattern.test(text));
  return new StartFailure(`CannotPullContainerError: ${known ? known.words(fullName(image), text) : text}`);
};

const manifest = 'pull image manifest has been retried 5 time(s): failed to resolve ref';

const pullWords: readonly { readonly pattern: RegExp; readonly words: (image: string, text: string) => string }[] = [
  { pattern: /invalid reference format/i, words: (image) => `invalid reference format: ${image}` },
  { pattern: /toomanyrequests|rate limit/i, words: (_, text) => text },
  {
    pattern: /no space left on device/i,
    words: (_, text) => `ref pull has been retried 1 time(s): failed to extract layer: ${text}`,
  },
  {
    pattern: /no basic auth credentials/i,
    words: (image) => `${manifest} ${image}: pulling from host failed with status code: no basic auth credentials`,
  },
  {
    pattern: /pull access denied|requested access to the resource is denied|unauthorized|authentication required/i,
    words: (image) =>
      `${manifest} ${image}: pull access denied, repository does not exist or may require authorization: server message: insufficient_scope: authorization failed`,
  },
  {
    pattern: /not found|manifest unknown|name unknown/i,
    words: (image) => `${manifest} ${image}: ${image}: not found`,
  },
  {
    pattern: /no matching manifest/i,
    words: (image) =>
      `image Manifest does not contain descriptor matching platform 'linux/amd64': no match for platform in manifest of ${image}`,
  },
  {
    pattern: /dial tcp|lookup|timeout|deadline exceeded|connection refused|TLS handshake|EOF|canceled/i,
    words: (image, text) => `${manifest} ${image}: failed to do request: ${text}`,
  },
];

/** `busybox:1` -> `docker.io/library/busybox:1`, as containerd names it in its errors. */
const fullName = (image: string): string => {
  const [first = '', ...rest] = image.split('/');
  const tagged = /[:@][^/]*$/.test(image) ? image : `${image}:latest`;
  if (rest.length === 0) return `docker.io/library/${tagged}`;
  return /[.:]|^localhost$/.test(first) ? tagged : `docker.io/${tagged}`;
};

/** The engine's reason why a container cannot be made or started, as the agent of Fargate 1.4 words it. */
export const startFailure = (step: 'create' | 'start', error: unknown): StartFailure => {
  const text = messageOf(error);
  if (step === 'create') return new StartFailure(`CannotCreateContainerError: ${text}`);
  // Engines wrap the shim's text each in a way of their own.
  const shim = /failed to create shim task: .*$/s.exec(text)?.[0];
  return new StartFailure(
    shim === undefined
      ? `CannotStartContainerError: ${text}`
      : `CannotStartContainerError: ResourceInitializationError: failed to create new container runtime task: ${shim}`,
  );
};
