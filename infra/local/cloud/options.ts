import { DEFAULT_PORTS, type LocalPorts } from './ports.ts';

/** How the local cloud was asked to run. Handed from `npm start` to the plugin as JSON in `SVK_LOCAL`. */
export interface LocalOptions {
  readonly runtime: 'process' | 'simulated';
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
  return { runtime: 'process', directory: '.local', ports: DEFAULT_PORTS };
};
