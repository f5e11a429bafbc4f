import { Command } from 'commander';
import { SystemClock } from '../../adapters/system/system-clock.ts';
import { SystemRandom } from '../../adapters/system/system-random.ts';
import { UsageError } from '../exit-codes.ts';
import { copyInto, copyOut } from './copy-files.ts';
import { type LogOptions, printLog } from './follow-log.ts';
import { openPodEndpoint, type PluginOptions, type PodEndpoint } from './pod-endpoint.ts';
import { remoteExec } from './remote-exec.ts';
import { rawKeys, terminalSizes } from './terminal.ts';

interface ContainerOptions extends PluginOptions {
  readonly container?: string;
}

interface ExecOptions extends ContainerOptions {
  readonly stdin: boolean;
  readonly tty: boolean;
}

/** The commands of `kubectl svk`. `exit` is told the exit code of a remote command. */
export const createPlugin = (exit: (code: number) => void, signal: AbortSignal): Command => {
  const deps = { clock: new SystemClock(), random: new SystemRandom() };
  const withPod = async (
    name: string,
    options: ContainerOptions,
    act: (endpoint: PodEndpoint) => Promise<void>,
  ): Promise<void> => {
    const context = { clock: deps.clock, environment: process.env };
    const endpoint = await openPodEndpoint(name, options.container, options, context, signal);
    try {
      await act(endpoint);
    } finally {
      endpoint.close();
    }
  };
  const program = new Command('kubectl-svk')
    .enablePositionalOptions()
    .description(
      'Reaches containers of svk nodes over HTTPS, where the API server cannot: exec, logs and cp with a bearer token.',
    );

  common(program.command('exec <pod> <command...>'))
    .description('run a command in a container')
    .option('-i, --stdin', 'pass standard input on', false)
    .option('-t, --tty', 'standard input is a terminal', false)
    .action((pod: string, command: readonly string[], options: ExecOptions) =>
      withPod(pod, options, async (endpoint) => {
        const over = new AbortController();
        const release = options.tty && options.stdin ? rawKeys(process.stdin) : () => undefined;
        const streams = {
          ...(options.stdin && { stdin: process.stdin }),
          stdout: process.stdout,
          ...(!options.tty && { stderr: process.stderr }),
          sizes: terminalSizes(process.stdout, AbortSignal.any([signal, over.signal])),
        };
        try {
          exit(await remoteExec(endpoint, { command, tty: options.tty }, streams, deps, signal));
        } finally {
          over.abort();
          release();
          if (options.stdin) process.stdin.destroy();
        }
      }),
    );

  common(program.command('logs <pod>'))
    .description('print what a container has written')
    .option('-f, --follow', 'go on with what it writes', false)
    .option('--timestamps', 'with the time of each line', false)
    .option('-p, --previous', 'of the run before', false)
    .option('--tail <lines>', 'so many of the last lines, -1 for all', '-1')
    .option('--since <duration>', 'not older than that, such as 5s, 2m or 3h')
    .option('--since-time <time>', 'not older than that moment (RFC 3339)')
    .action((pod: string, options: ContainerOptions & LogOptions) =>
      withPod(pod, options, (endpoint) =>
        printLog(endpoint, options, (text) => void process.stdout.write(text), deps.clock, signal),
      ),
    );

  common(program.command('cp <from> <to>'))
    .description('copy a file or folder: one of both is POD:PATH')
    .action(async (from: string, to: string, options: ContainerOptions) => {
      const [source, target] = [placeOf(from), placeOf(to)];
      if ((source.pod === undefined) === (target.pod === undefined))
        throw new UsageError(`cp: one of ${from} and ${to} must be POD:PATH, the other a path of this machine`);
      await withPod(source.pod ?? target.pod ?? '', options, (endpoint) => {
        const world = { ...deps, endpoint, complaints: process.stderr };
        return source.pod === undefined
          ? copyInto(world, source.path, target.path, signal)
          : copyOut(world, source.path, target.path, signal);
      });
    });
  return program;
};

const common = (command: Command): Command =>
  command
    .option('-n, --namespace <name>', "the kubeconfig's own, or default, where it is left out")
    .option('-c, --container <name>', "the pod's first one where it is left out")
    .option('--kubeconfig <file>', 'KUBECONFIG, or ~/.kube/config, where it is left out')
    .option('--context <name>', "the kubeconfig's current context where it is left out")
    .option('--endpoint <url>', "instead of the address of the pod's node")
    .option('--token <token>', "instead of the kubeconfig's")
    .option('--certificate-authority <file>', 'that has signed the certificate of the endpoint');

/** `POD:PATH`; a path that begins with a dot or a slash, or has no colon, is one of this machine. */
const placeOf = (text: string): { readonly pod?: string; readonly path: string } => {
  const [, pod, path] = /^([a-z0-9][a-z0-9.-]*):(.+)$/s.exec(text) ?? [];
  return pod === undefined || path === undefined ? { path: text } : { pod, path };
};
