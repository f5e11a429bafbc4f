import { type Front, startFront } from '../front/start-front.ts';
import { loadStreamingHandler } from '../front/streaming.ts';
import { createCertificateAuthority } from '../tls/certificate-authority.ts';
import { kubeletAddress } from './kubelet-address.ts';
import type { LocalPorts } from './ports.ts';
import type { FunctionDefinition } from './service.ts';

/** The kubelet endpoint of one node. */
export interface KubeletFront {
  readonly node: string;
  readonly host: string;
  readonly front: Front;
  /** PEM: the CA of its certificate. */
  readonly certificateAuthority: string;
}

/**
 * One endpoint a node, as in an account: the first on the documented port, the others on free ones. It asks for client
 * certificates of the cluster's CA, and its own is of a CA made for this run.
 */
export const startKubeletFronts = async (options: {
  readonly nodes: readonly string[];
  readonly embedded: boolean;
  readonly clientCa: string;
  readonly ports: LocalPorts;
  readonly functionOf: (key: string) => FunctionDefinition;
  readonly environmentOf: (definition: FunctionDefinition) => Readonly<Record<string, string>>;
}): Promise<readonly KubeletFront[]> => {
  const host = kubeletAddress(options.embedded);
  const authority = await createCertificateAuthority({ commonName: 'svk local kubelet', now: Date.now() });
  const { certificate, key } = await authority.issueServer({
    commonName: 'svk-kubelet',
    names: [...new Set([host, '127.0.0.1', 'localhost'])],
  });
  const logs = options.functionOf('container-logs');
  // Loaded with the first request: only then is the environment complete.
  let handler: ReturnType<typeof loadStreamingHandler> | undefined;
  const load = (): ReturnType<typeof loadStreamingHandler> => {
    handler ??= loadStreamingHandler(bundleOf(logs, options.environmentOf(logs)));
    return handler;
  };
  const fronts: KubeletFront[] = [];
  for (const [index, node] of options.nodes.entries()) {
    const front = await startFront({
      host,
      port: index === 0 ? options.ports.kubelet : 0,
      certificates: { certificate, privateKey: key, clientCertificateAuthority: options.clientCa },
      lambdaUrl: `http://127.0.0.1:${options.ports.lambda}`,
      kubeletApi: { functionName: options.functionOf('kubelet-api').name, payload: '2.0' },
      containerLogs: { functionName: logs.name, handler: load },
      admission: { functionName: options.functionOf('admission').name },
      stageVariables: { node },
      onFault: (message) => console.error(`local cloud: kubelet endpoint of ${node}: ${message}`),
    });
    fronts.push({ node, host, front, certificateAuthority: authority.certificate });
  }
  return fronts;
};

const bundleOf = (
  { handler }: FunctionDefinition,
  environment: Readonly<Record<string, string>>,
): { file: string; exportName: string; environment: Readonly<Record<string, string>> } => {
  const dot = handler.lastIndexOf('.');
  return { file: `${handler.slice(0, dot)}.cjs`, exportName: handler.slice(dot + 1), environment };
};
