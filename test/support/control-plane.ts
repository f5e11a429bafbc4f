import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { startServers } from './envtest.ts';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** A running control plane of the tests' own: etcd and kube-apiserver, and the controllers where asked for. */
export interface ControlPlane {
  /** A file: cluster administrator, certificates embedded. */
  readonly kubeconfig: string;
  /** Everything it keeps: `ca.crt`, `*.log`, with `audit` also `audit.log`. */
  readonly folder: string;
  /** Stops what was started, and no more. The folder stays, so that `restart` finds it. */
  stop(): Promise<void>;
  /** Starts it again with the same data, certificates and port. */
  restart(): Promise<void>;
  /** Stops it and removes the folder. */
  remove(): Promise<void>;
}

export interface ControlPlaneOptions {
  /** kube-controller-manager and kube-scheduler as well; true where it is left out. */
  readonly controllers?: boolean;
  /** One JSON line for each request in `audit.log`. */
  readonly audit?: boolean;
  /** The API server checks the certificates of kubelets against the cluster's CA. */
  readonly kubeletAuthority?: boolean;
}

/**
 * Starts a control plane on the loopback interface. With the script `SVK_CONTROL_PLANE` (default
 * `../shared/cluster/up` beside the project), else with the binaries of the folder `KUBEBUILDER_ASSETS` as `setup-envtest`
 * makes it, which has no controllers.
 */
export const startControlPlane = async (options: ControlPlaneOptions = {}): Promise<ControlPlane> => {
  const { controllers = true, audit = false, kubeletAuthority = false } = options;
  const script = path.resolve(ROOT, process.env['SVK_CONTROL_PLANE'] ?? '../shared/cluster/up');
  const assets = process.env['KUBEBUILDER_ASSETS'];
  if (!existsSync(script) && !assets)
    throw new Error(
      `no control plane: neither ${script} (SVK_CONTROL_PLANE) nor KUBEBUILDER_ASSETS is there; ` +
        'run setup-envtest and set KUBEBUILDER_ASSETS to the folder it prints',
    );
  if (!existsSync(script) && controllers)
    throw new Error(`${script} is not there, and KUBEBUILDER_ASSETS has no controllers: set SVK_CONTROL_PLANE`);
  const folder = await mkdtemp(path.join(tmpdir(), 'svk-control-plane-'));
  const start = existsSync(script)
    ? () => up(script, folder, { controllers, audit, kubeletAuthority })
    : () => startServers(assets ?? '', folder, { audit });
  let running: { stop(): Promise<void> } | undefined;
  const stop = async (): Promise<void> => {
    await running?.stop();
    running = undefined;
  };
  const remove = async (): Promise<void> => {
    await stop();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    running = await start();
  } catch (error) {
    await remove();
    throw error;
  }
  return {
    kubeconfig: path.join(folder, 'admin.kubeconfig'),
    folder,
    stop,
    restart: async () => {
      await stop();
      running = await start();
    },
    remove,
  };
};

const up = async (
  script: string,
  folder: string,
  { controllers, audit, kubeletAuthority }: Required<ControlPlaneOptions>,
): Promise<{ stop(): Promise<void> }> => {
  const authority = `--kubelet-certificate-authority=${path.join(folder, 'ca.crt')}`;
  await run(script, [folder, ...(controllers ? [] : ['--no-controllers']), ...(audit ? ['--audit'] : [])], {
    env: { ...process.env, ...(kubeletAuthority && { APISERVER_EXTRA_ARGS: authority }) },
  });
  return { stop: async () => void (await run(path.join(path.dirname(script), 'down'), [folder])) };
};
