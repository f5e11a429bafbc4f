import { type ChildProcess, spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, openSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { stringify } from 'yaml';
import { freePort } from '../../infra/local/cloud/ports.ts';
import { createCertificateAuthority } from '../../infra/local/tls/certificate-authority.ts';
import { credentialsFromKubeconfig } from '../../src/adapters/kubernetes/credentials-from-kubeconfig.ts';
import { KubernetesClient } from '../../src/adapters/kubernetes/kubernetes-client.ts';
import { SystemClock } from '../../src/adapters/system/system-clock.ts';

const READY_WITHIN_MS = 60_000;

/** Starts etcd and kube-apiserver from a folder of `setup-envtest`, all of their state in `folder`. */
export const startServers = async (
  assets: string,
  folder: string,
  { audit }: { readonly audit: boolean },
): Promise<{ stop(): Promise<void> }> => {
  const at = (name: string): string => path.join(folder, name);
  const etcdPort = await freePort();
  if (!existsSync(at('admin.kubeconfig'))) await prepare(folder, await freePort());
  const port = (await readFile(at('port'), 'utf8')).trim();

  const etcd = launch(path.join(assets, 'etcd'), at('etcd.log'), [
    `--data-dir=${at('etcd')}`,
    '--unsafe-no-fsync',
    `--listen-client-urls=http://127.0.0.1:${etcdPort}`,
    `--advertise-client-urls=http://127.0.0.1:${etcdPort}`,
    '--listen-peer-urls=http://127.0.0.1:0',
  ]);
  const server = launch(path.join(assets, 'kube-apiserver'), at('kube-apiserver.log'), [
    `--etcd-servers=http://127.0.0.1:${etcdPort}`,
    '--bind-address=127.0.0.1',
    '--advertise-address=127.0.0.1',
    '--endpoint-reconciler-type=none',
    `--secure-port=${port}`,
    '--service-cluster-ip-range=10.96.0.0/16',
    `--tls-cert-file=${at('apiserver.crt')}`,
    `--tls-private-key-file=${at('apiserver.key')}`,
    `--client-ca-file=${at('ca.crt')}`,
    '--authorization-mode=Node,RBAC',
    '--enable-admission-plugins=NodeRestriction',
    '--disable-admission-plugins=ServiceAccount',
    '--service-account-issuer=https://kubernetes.default.svc.cluster.local',
    `--service-account-key-file=${at('sa.pub')}`,
    `--service-account-signing-key-file=${at('sa.key')}`,
    ...(audit ? [`--audit-policy-file=${at('audit-policy.yaml')}`, `--audit-log-path=${at('audit.log')}`] : []),
  ]);
  const stop = async (): Promise<void> => {
    await end(server);
    await end(etcd);
  };
  try {
    await ready(at('admin.kubeconfig'), [etcd, server], folder);
  } catch (error) {
    await stop();
    throw error;
  }
  return { stop };
};

const prepare = async (folder: string, port: number): Promise<void> => {
  const write = (name: string, text: string): Promise<void> =>
    writeFile(path.join(folder, name), text, { mode: 0o600 });
  const authority = await createCertificateAuthority({ commonName: 'kubernetes', now: Date.now() });
  const server = await authority.issueServer({ commonName: 'kube-apiserver', names: ['127.0.0.1', 'localhost'] });
  const admin = await authority.issueClient({ commonName: 'kubernetes-admin', organizations: ['system:masters'] });
  const { publicKey, privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2_048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  const base64 = (text: string): string => Buffer.from(text).toString('base64');
  await write('port', String(port));
  await write('ca.crt', authority.certificate);
  await write('apiserver.crt', server.certificate);
  await write('apiserver.key', server.key);
  await write('sa.pub', publicKey);
  await write('sa.key', privateKey);
  await write(
    'audit-policy.yaml',
    stringify({
      apiVersion: 'audit.k8s.io/v1',
      kind: 'Policy',
      omitStages: ['RequestReceived'],
      rules: [{ level: 'Metadata' }],
    }),
  );
  const cluster = { server: `https://127.0.0.1:${port}`, 'certificate-authority-data': base64(authority.certificate) };
  const user = { 'client-certificate-data': base64(admin.certificate), 'client-key-data': base64(admin.key) };
  await write(
    'admin.kubeconfig',
    stringify({
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'default',
      contexts: [{ name: 'default', context: { cluster: 'default', user: 'admin' } }],
      clusters: [{ name: 'default', cluster }],
      users: [{ name: 'admin', user }],
    }),
  );
};

const launch = (program: string, log: string, args: readonly string[]): ChildProcess => {
  const output = openSync(log, 'a', 0o600);
  return spawn(program, args, { stdio: ['ignore', output, output] });
};

const end = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), 10_000);
  await exited;
  clearTimeout(timer);
};

const ready = async (kubeconfig: string, children: readonly ChildProcess[], folder: string): Promise<void> => {
  const client = new KubernetesClient(await credentialsFromKubeconfig(kubeconfig), { clock: new SystemClock() });
  const until = Date.now() + READY_WITHIN_MS;
  try {
    for (;;) {
      if (children.some(({ exitCode, pid }) => exitCode !== null || pid === undefined))
        throw new Error(`a server ended early; see the logs in ${folder}`);
      if (Date.now() > until) throw new Error(`the API server is not ready after 60 s; see the logs in ${folder}`);
      if (await answers(client)) return;
      await delay(100);
    }
  } finally {
    client.close();
  }
};

/** The namespaces of the system come a moment after /readyz. */
const answers = async (client: KubernetesClient): Promise<boolean> => {
  try {
    const { signal } = new AbortController();
    (await client.stream('/readyz', { signal })).resume();
    await client.get('/api/v1/namespaces/kube-node-lease', { signal });
    await client.get('/api/v1/namespaces/default', { signal });
    return true;
  } catch {
    return false;
  }
};
