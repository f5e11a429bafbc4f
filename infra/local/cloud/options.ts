import { DEFAULT_PORTS, type LocalPorts } from './ports.ts';
import type { RuntimeName } from './runtime-names.ts';

/** How the local cloud was asked to run. Handed from `npm start` to the plugin as JSON in `SVK_LOCAL`. */
export interface LocalOptions {
  /** Undefined: real containers where an engine answers, else processes. */
  readonly runtime?: RuntimeName;
  /** A cluster of the user's own; undefined: the embedded Kubernetes API. */
  readonly kubeconfig?: string;
  /** Where kubeconfig, certificates and logs go. */
  readonly directory: string;
  readonly ports: LocalPorts;
}

/** The options in the environment, or the defaults: what a plain `serverless offline start` runs with. */
export const optionsFrom = (environment: NodeJS.ProcessEnv): LocalOptions => {
  const text = environment['SVK_LOCAL'];
  if (text !== undefined) return JSON.parse(text) as LocalOptions;
  return { directory: '.local', ports: DEFAULT_PORTS };
};
