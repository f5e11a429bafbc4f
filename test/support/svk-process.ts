import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { get } from 'node:https';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { KubernetesCredentials } from '../../src/adapters/kubernetes/credentials.ts';

const SVK = fileURLToPath(new URL('../../src/cli/svk.mjs', import.meta.url));

export interface SvkProcessOptions {
  /** Takes its kubeconfig. */
  readonly folder: string;
  readonly node: string;
  readonly deployment: string;
}

export interface SvkProcess {
  /** Ends it as a service manager does; answers its exit code. */
  end(): Promise<unknown>;
}

/** `svk run` as one process with the mock provider, on the loopback interface. It takes its node with it. */
export const startSvkProcess = async (
  { server, certificateAuthority = '', token }: KubernetesCredentials,
  { folder, node, deployment }: SvkProcessOptions,
): Promise<SvkProcess> => {
  const kubeconfig = path.join(folder, `${deployment}.kubeconfig`);
  const authority = Buffer.from(certificateAuthority).toString('base64');
  const config = {
    'current-context': 'svk',
    contexts: [{ name: 'svk', context: { cluster: 'svk', user: 'svk' } }],
    clusters: [{ name: 'svk', cluster: { server, 'certificate-authority-data': authority } }],
    users: [{ name: 'svk', user: { token } }],
  };
  await writeFile(kubeconfig, JSON.stringify(config), { mode: 0o600 });
  const flags = ['--provider=mock', `--nodename=${node}`, `--deployment=${deployment}`, '--delete-node'];
  const addresses = ['--listen=127.0.0.1:0', '--node-ip=127.0.0.1', '--metrics-addr='];
  const args = [SVK, 'run', `--kubeconfig=${kubeconfig}`, ...flags, ...addresses];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  const exited = once(child, 'exit');
  return {
    end: async () => {
      child.kill('SIGTERM');
      const [code] = (await exited) as [number | null];
      return code;
    },
  };
};

/** The status a kubelet API on this machine answers to the bearer of a token; its certificate is not looked at. */
export const kubeletStatus = (port: number | undefined, requestPath: string, token: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}` };
    const options = { host: '127.0.0.1', port, path: requestPath, headers, rejectUnauthorized: false };
    const request = get(options, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    request.on('error', reject);
  });
