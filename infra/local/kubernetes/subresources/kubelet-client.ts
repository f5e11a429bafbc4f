import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { Agent, request as httpsRequest } from 'node:https';
import type { KubernetesObject } from '../model/object.ts';
import { internal } from '../model/status.ts';
import { asNode } from '../resources/typed.ts';

/** The client certificate by which a kubelet knows this API server. */
export interface ClientIdentity {
  readonly cert: string;
  readonly key: string;
}

export interface KubeletRequest {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly headers?: IncomingHttpHeaders;
  readonly body?: IncomingMessage;
  readonly signal: AbortSignal;
}

const ADDRESS_TYPES = ['InternalIP', 'InternalDNS', 'Hostname', 'ExternalIP', 'ExternalDNS'];
const DEFAULT_PORT = 10_250;

/**
 * Talks to the kubelet endpoints of nodes over TLS. Serving certificates are not checked: kubeadm's API servers do not
 * either, unless told a kubelet CA.
 */
export class KubeletClient {
  readonly #agent: Agent;

  constructor({ cert, key }: ClientIdentity) {
    this.#agent = new Agent({ cert, key, rejectUnauthorized: false, keepAlive: false });
  }

  /** Where the node's kubelet listens. @throws {ApiError} where the node has no address. */
  addressOf(object: KubernetesObject): { readonly host: string; readonly port: number } {
    const { metadata, status } = asNode(object);
    const address = ADDRESS_TYPES.flatMap((type) => status?.addresses?.filter((known) => known.type === type) ?? [])[0];
    if (!address) throw internal(`no preferred addresses found; known addresses: [] of node ${metadata?.name ?? ''}`);
    return { host: address.address, port: status?.daemonEndpoints?.kubeletEndpoint?.Port || DEFAULT_PORT };
  }

  /** The node's answer, as soon as its head is here. @throws {ApiError} 500 in Go's words where nobody answers. */
  send(node: KubernetesObject, { method, path, headers, body, signal }: KubeletRequest): Promise<IncomingMessage> {
    const { host, port } = this.addressOf(node);
    return new Promise((resolve, reject) => {
      const request = httpsRequest({ agent: this.#agent, host, port, method, path, headers, signal });
      request.on('response', resolve);
      request.on('error', (error) => reject(dialError(method, host, port, path, error)));
      if (body) body.pipe(request);
      else request.end();
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

const dialError = (method: string, host: string, port: number, path: string, error: Error): Error => {
  const verb = `${method.slice(0, 1)}${method.slice(1).toLowerCase()}`;
  const code = 'code' in error ? error.code : undefined;
  const why =
    code === 'ECONNREFUSED'
      ? `dial tcp ${host}:${port}: connect: connection refused`
      : code === 'ENOTFOUND'
        ? `dial tcp: lookup ${host}: no such host`
        : error.message;
  return internal(`${verb} "https://${host}:${port}${path.split('?')[0] ?? path}": ${why}`);
};
