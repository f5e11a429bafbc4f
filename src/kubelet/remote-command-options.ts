import type { RemoteCommandOptions } from './upgrade.ts';

/**
 * Reads which streams an exec or attach wants: `input`, `output`, `error`, `tty`, each `1` or `true`. A terminal has no
 * stderr of its own: it is dropped, as kubelet does. Undefined where no stream is wanted at all.
 */
export const parseRemoteCommandOptions = (query: URLSearchParams): RemoteCommandOptions | undefined => {
  const isOn = (name: string): boolean => ['1', 'true'].includes(query.get(name) ?? '');
  const tty = isOn('tty');
  const options = { stdin: isOn('input'), stdout: isOn('output'), stderr: isOn('error') && !tty, tty };
  return options.stdin || options.stdout || options.stderr ? options : undefined;
};
