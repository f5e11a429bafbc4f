import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { TLSSocket } from 'node:tls';
import { createCertificateAuthority } from '../../../infra/local/tls/certificate-authority.ts';

/** A kubelet endpoint of a test: it asks for a client certificate of `clientCa` and writes down what it is asked. */
export interface FakeKubelet {
  readonly port: number;
  /** `METHOD path?query by CN`, in order. */
  readonly requests: readonly string[];
  close(): Promise<void>;
}

export const startKubelet = async (
  clientCa: string,
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<FakeKubelet> => {
  const authority = await createCertificateAuthority({ commonName: 'kubelet-ca', now: Date.now() });
  const { certificate: cert, key } = await authority.issueServer({ commonName: 'n', names: ['127.0.0.1'] });
  const requests: string[] = [];
  const options = { cert, key, ca: clientCa, requestCert: true, rejectUnauthorized: true };
  const server = createServer(options, (request, response) => {
    const { socket, method, url } = request;
    const who = socket instanceof TLSSocket ? [socket.getPeerCertificate().subject.CN].flat().join() : '';
    requests.push(`${method} ${url} by ${who}`);
    answer(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    requests,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
};

/** A Ready node whose kubelet listens on `port` of the loopback interface. */
export const aNode = (name: string, port: number, spec: object = {}): object => ({
  metadata: { name, labels: { 'kubernetes.io/hostname': name } },
  spec,
  status: {
    capacity: { cpu: '4', memory: '8Gi', pods: '10' },
    conditions: [{ type: 'Ready', status: 'True', reason: 'KubeletReady' }],
    addresses: [{ type: 'InternalIP', address: '127.0.0.1' }],
    daemonEndpoints: { kubeletEndpoint: { Port: port } },
  },
});
