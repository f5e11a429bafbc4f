import type { ConfigMap, Secret } from '../../../model/kubernetes.ts';
import type { EnvironmentReport } from './environment-report.ts';
import type { EnvironmentSources, Fetched } from './environment-sources.ts';

/** A configMap or Secret as somebody refers to it. `use` names the user in events: `envvar "X"` or `envFrom source`. */
export interface Reference {
  readonly kind: 'ConfigMap' | 'Secret';
  readonly name: string;
  readonly optional: boolean;
  readonly use: string;
}

/** Key -> value of the object; a Secret's values as base64. Undefined where it is not there, which has been reported. */
export const referredData = (
  reference: Reference,
  sources: EnvironmentSources,
  report: EnvironmentReport,
): Readonly<Record<string, string>> | undefined => {
  const fetched: Fetched<ConfigMap | Secret> = (reference.kind === 'Secret' ? sources.secrets : sources.configMaps)[
    reference.name
  ] ?? { kind: 'not-found' };
  switch (fetched.kind) {
    case 'found':
      return fetched.object.data ?? {};
    case 'not-found':
      reportMiss(reference, 'NotFound', `${kindInWords(reference)} "${reference.name}" not found`, report);
      return undefined;
    case 'unreadable':
      reportUnreadable(reference, fetched.message, report);
      return undefined;
    default:
      return fetched satisfies never;
  }
};

/** Reports a key the object does not have; the waiting message is kubelet's. */
export const reportMissingKey = (
  reference: Reference,
  key: string,
  namespace: string,
  report: EnvironmentReport,
): void => {
  const { kind, name } = reference;
  const event = `key "${key}" does not exist in ${kindInWords(reference)} "${name}"`;
  reportMiss(reference, 'KeyNotFound', event, report, `couldn't find key ${key} in ${kind} ${namespace}/${name}`);
};

const reportMiss = (
  { kind, optional, use }: Reference,
  miss: 'NotFound' | 'KeyNotFound',
  message: string,
  report: EnvironmentReport,
  waiting = message,
): void => {
  if (optional) return report.warn(`Optional${kind}${miss}`, `skipping optional ${use}: ${message}`);
  report.warn(`Mandatory${kind}${miss}`, message);
  report.wait(waiting);
};

const reportUnreadable = (reference: Reference, cause: string, report: EnvironmentReport): void => {
  const { kind, name, optional, use } = reference;
  const message = `failed to read ${kindInWords(reference)} "${name}": ${cause}`;
  if (optional) return report.warn(`FailedToReadOptional${kind}`, `skipping optional ${use}: ${message}`);
  report.warn(`FailedToReadMandatory${kind}`, message);
  report.wait(message);
};

const kindInWords = ({ kind }: Reference): string => kind.toLowerCase();

/** Decodes a Secret's value; undefined where it is not UTF-8 or holds a NUL, which no variable can carry here. */
export const secretText = (base64: string): string | undefined => {
  try {
    return textOf(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(base64, 'base64')));
  } catch {
    return undefined;
  }
};

/** Undefined where the text holds a NUL: no process can get that in its environment. */
export const textOf = (text: string): string | undefined => (text.includes('\0') ? undefined : text);
