import { parseArgs } from 'node:util';

/** What `npm start -- …` was asked. */
export type Arguments =
  | { readonly kind: 'help' }
  | { readonly kind: 'fault'; readonly message: string }
  | {
      readonly kind: 'start';
      readonly runtime: 'process' | 'simulated';
      readonly kubeconfig?: string;
      readonly directory: string;
      readonly anyPorts: boolean;
      readonly settings?: string;
    };

export const USAGE = `usage: npm start [-- options]

  --runtime process|simulated  process: a task's commands run as local processes, without isolation (default)
                               simulated: nothing runs; outcomes come from a script in the container's environment
  --kubeconfig FILE            use this cluster instead of the embedded Kubernetes API (default: $KUBECONFIG)
  --settings FILE              another settings file (default: settings.yml)
  --directory DIR              where kubeconfig, certificates and logs go (default: .local)
  --any-ports                  free ports instead of the documented ones
`;

/** Reads the command line. Never throws: a fault is an answer that names the option. */
export const parseArguments = (argv: readonly string[]): Arguments => {
  try {
    const { values } = parseArgs({
      args: [...argv],
      options: {
        runtime: { type: 'string', default: 'process' },
        kubeconfig: { type: 'string' },
        settings: { type: 'string' },
        directory: { type: 'string', default: '.local' },
        'any-ports': { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
    const { runtime, kubeconfig, directory, settings, help } = values;
    if (help) return { kind: 'help' };
    if (runtime !== 'process' && runtime !== 'simulated') {
      return { kind: 'fault', message: `--runtime: "${runtime}" is neither process nor simulated.` };
    }
    return {
      kind: 'start',
      runtime,
      directory,
      anyPorts: values['any-ports'],
      ...(kubeconfig !== undefined && { kubeconfig }),
      ...(settings !== undefined && { settings }),
    };
  } catch (error) {
    return { kind: 'fault', message: error instanceof Error ? error.message : String(error) };
  }
};
