import { parseArgs } from 'node:util';
import { RUNTIME_NAMES, type RuntimeName } from './runtime-names.ts';

/** What `npm start -- …` was asked. */
export type Arguments =
  | { readonly kind: 'help' }
  | { readonly kind: 'fault'; readonly message: string }
  | {
      readonly kind: 'start';
      /** Undefined: whatever there is. */
      readonly runtime?: RuntimeName;
      readonly kubeconfig?: string;
      readonly directory: string;
      readonly anyPorts: boolean;
      readonly settings?: string;
    };

export const USAGE = `usage: npm start [-- options]

  --runtime docker|process|simulated
                     docker: real containers (default where a container engine answers; its socket: $DOCKER_HOST)
                     process: a task's commands run as local processes, without isolation (default elsewhere)
                     simulated: nothing runs; outcomes come from a script in the container's environment
  --kubeconfig FILE  use this cluster instead of the embedded Kubernetes API (default: $KUBECONFIG)
  --settings FILE    another settings file (default: settings.yml)
  --directory DIR    where kubeconfig, certificates, keys and logs go (default: .local)
  --any-ports        free ports instead of the documented ones
`;

/** Reads the command line. Never throws: a fault is an answer that names the option. */
export const parseArguments = (argv: readonly string[]): Arguments => {
  try {
    const { values } = parseArgs({
      args: [...argv],
      options: {
        runtime: { type: 'string' },
        kubeconfig: { type: 'string' },
        settings: { type: 'string' },
        directory: { type: 'string', default: '.local' },
        'any-ports': { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
    const { runtime, kubeconfig, directory, settings, help } = values;
    if (help) return { kind: 'help' };
    const known = RUNTIME_NAMES.find((name) => name === runtime);
    if (runtime !== undefined && known === undefined) {
      return { kind: 'fault', message: `--runtime: "${runtime}" is none of ${RUNTIME_NAMES.join(', ')}.` };
    }
    return {
      kind: 'start',
      ...(known !== undefined && { runtime: known }),
      directory,
      anyPorts: values['any-ports'],
      ...(kubeconfig !== undefined && { kubeconfig }),
      ...(settings !== undefined && { settings }),
    };
  } catch (error) {
    return { kind: 'fault', message: error instanceof Error ? error.message : String(error) };
  }
};
