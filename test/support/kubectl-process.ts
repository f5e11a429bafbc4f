import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { buffer, text } from 'node:stream/consumers';

/** How kubectl is to speak to the API server: WebSocket, its default, or SPDY. */
export type ClientTransport = 'websocket' | 'spdy';

export interface KubectlOptions {
  readonly kubeconfig: string;
  readonly transport?: ClientTransport;
}

export interface KubectlAnswer {
  readonly code: number | null;
  readonly stdout: Buffer;
  readonly stderr: string;
}

/** The environment that makes kubectl speak so. */
export const kubectlEnvironment = ({
  kubeconfig,
  transport = 'websocket',
}: KubectlOptions): Record<string, string> => ({
  PATH: process.env['PATH'] ?? '',
  HOME: process.env['HOME'] ?? '',
  KUBECONFIG: kubeconfig,
  KUBECTL_REMOTE_COMMAND_WEBSOCKETS: String(transport === 'websocket'),
  KUBECTL_PORT_FORWARD_WEBSOCKETS: String(transport === 'websocket'),
});

/** A kubectl that runs, its three streams open. */
export const startKubectl = (args: readonly string[], options: KubectlOptions): ChildProcessWithoutNullStreams =>
  spawn('kubectl', args, { env: kubectlEnvironment(options) });

/** Runs kubectl to its end; its input is `input`, and then over. */
export const runKubectl = async (
  args: readonly string[],
  options: KubectlOptions & { readonly input?: Uint8Array | string },
): Promise<KubectlAnswer> => {
  const child = startKubectl(args, options);
  child.stdin.on('error', () => undefined);
  child.stdin.end(options.input);
  const exited = once(child, 'close') as Promise<[number | null]>;
  const [stdout, stderr, [code]] = await Promise.all([buffer(child.stdout), text(child.stderr), exited]);
  return { code, stdout, stderr };
};
