import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { createServer, type Server } from 'node:https';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { SystemClock } from '../../../src/adapters/system/system-clock.ts';
import { SystemRandom } from '../../../src/adapters/system/system-random.ts';
import type { Clock } from '../../../src/core/clock.ts';
import { createCertificateAuthority } from '../tls/certificate-authority.ts';
import { Authenticator } from './access/authenticate.ts';
import { ServiceAccountTokens } from './access/service-account-tokens.ts';
import { AdmissionWebhook } from './admission-webhook.ts';
import type { Api } from './api.ts';
import { bootstrap } from './bootstrap.ts';
import { expireEvents } from './controllers/event-expiry.ts';
import { NamespaceLifecycle } from './controllers/namespace-lifecycle.ts';
import { NodeLifecycle } from './controllers/node-lifecycle.ts';
import { Scheduler } from './controllers/scheduler.ts';
import { AppliedConfigurations } from './patch/applied-configurations.ts';
import { handle } from './requests/handle.ts';
import { Store } from './store/store.ts';
import { KubeletClient } from './subresources/kubelet-client.ts';

const HOST = '127.0.0.1';
const SERVER_NAMES = [HOST, 'localhost', 'kubernetes', 'kubernetes.default', 'kubernetes.default.svc', '10.96.0.1'];

export interface EmbeddedKubernetesOptions {
  /** @default a free port */
  readonly port?: number;
  /** Where `ca.crt`, `kubelet-client-ca.crt` and `svk.kubeconfig` are written; made if absent. */
  readonly directory: string;
  /** Where the admission webhook is; undefined as long as it is not up. Can be set later. */
  readonly admissionUrl?: () => string | undefined;
  /** @default the machine's clock */
  readonly clock?: Clock;
  /** Changes remembered per resource for watches. @default 1000 */
  readonly historyLimit?: number;
  /** Hears of every request as it comes, for those who count calls at the wire. */
  readonly onRequest?: (request: IncomingMessage) => void;
}

export interface EmbeddedKubernetes {
  /** `https://127.0.0.1:PORT` */
  readonly url: string;
  /** A kubeconfig file for kubectl, with the administrator's token. */
  readonly kubeconfigPath: string;
  /** The administrator's bearer token. */
  readonly token: string;
  /** PEM, for clients that are not given the kubeconfig. */
  readonly certificateAuthority: string;
  /** How this API server shows itself to kubelets: their server should ask for certificates of `ca`. */
  readonly kubeletClient: { readonly ca: string; readonly cert: string; readonly key: string };
  setAdmissionUrl(url: string | undefined): void;
  /** Ends watches and background work, closes every connection. Everything stored is gone. */
  close(): Promise<void>;
}

/**
 * Starts a small Kubernetes API for local use: in memory, on 127.0.0.1, one administrator. See README.md for what it
 * has and what not.
 * @throws where the port is taken (`EADDRINUSE`) or the directory cannot be written.
 */
export const startEmbeddedKubernetes = async (options: EmbeddedKubernetesOptions): Promise<EmbeddedKubernetes> => {
  const machine = new SystemClock();
  const clock = options.clock ?? machine;
  const random = new SystemRandom();
  const authority = await createCertificateAuthority({ commonName: 'kubernetes', now: machine.now() });
  const serving = await authority.issueServer({ commonName: 'kube-apiserver', names: SERVER_NAMES });
  const kubelet = await authority.issueClient({
    commonName: 'kube-apiserver-kubelet-client',
    organizations: ['system:masters'],
  });
  let admissionUrl = options.admissionUrl ?? (() => undefined);
  const closing = new AbortController();
  const store = new Store(options.historyLimit);
  const api: Api = {
    store,
    clock,
    random,
    webhook: new AdmissionWebhook(() => admissionUrl(), random),
    tokens: new ServiceAccountTokens(store, clock, random),
    applied: new AppliedConfigurations(),
    kubelet: new KubeletClient({ cert: kubelet.certificate, key: kubelet.key }),
    closing: closing.signal,
  };
  const token = randomBytes(24).toString('hex');
  const authenticator = new Authenticator(token, api.tokens);
  const server = createServer(
    {
      cert: serving.certificate,
      key: serving.key,
      ca: authority.certificate,
      requestCert: true,
      rejectUnauthorized: false,
      requestTimeout: 0,
    },
    (request, response) => void handle(api, authenticator, request, response),
  );
  if (options.onRequest) server.on('request', options.onRequest);
  const port = await listen(server, options.port ?? 0);
  new NamespaceLifecycle(api, authority.certificate).start();
  new NodeLifecycle(api).start();
  new Scheduler(api).start();
  expireEvents(api).catch(() => undefined);
  await bootstrap(api, port, authority.certificate);
  const url = `https://${HOST}:${port}`;
  const kubeconfigPath = await writeFiles(options.directory, { url, token, authority: authority.certificate });
  return {
    url,
    kubeconfigPath,
    token,
    certificateAuthority: authority.certificate,
    kubeletClient: { ca: authority.certificate, cert: kubelet.certificate, key: kubelet.key },
    setAdmissionUrl: (next) => {
      admissionUrl = () => next;
    },
    close: async () => {
      closing.abort();
      api.kubelet.close();
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
};

const listen = async (server: Server, port: number): Promise<number> => {
  server.listen(port, HOST);
  await once(server, 'listening');
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : port;
};

const writeFiles = async (
  directory: string,
  { url, token, authority }: { readonly url: string; readonly token: string; readonly authority: string },
): Promise<string> => {
  const kubeconfig = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'embedded',
    contexts: [{ name: 'embedded', context: { cluster: 'embedded', user: 'admin' } }],
    clusters: [
      {
        name: 'embedded',
        cluster: { server: url, 'certificate-authority-data': Buffer.from(authority).toString('base64') },
      },
    ],
    users: [{ name: 'admin', user: { token } }],
  };
  await mkdir(directory, { recursive: true });
  const path = join(directory, 'svk.kubeconfig');
  await writeFile(path, stringify(kubeconfig, { lineWidth: 0 }), { mode: 0o600 });
  await writeFile(join(directory, 'ca.crt'), authority);
  await writeFile(join(directory, 'kubelet-client-ca.crt'), authority);
  return path;
};
