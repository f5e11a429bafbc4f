/**
 * One call of the kubelet API, whatever carried it: an API Gateway event or a socket of the HTTPS server. Handlers know
 * these shapes only, so that both mounts answer alike.
 */
export interface KubeletRequest {
  /** Upper case, as HTTP has it. */
  readonly method: string;
  /** Percent-encoded as it came, without the query, beginning with `/` and without a stage prefix. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** The query held bytes that are no UTF-8, which became U+FFFD. */
  readonly garbled?: boolean;
  /** Names in lower case; several lines of one name are joined by `, `. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  /** Node that the endpoint was made for, where the transport knows it; the `Host` header may be the API server's. */
  readonly node?: string;
  /** Present only where the transport has verified it against the cluster's client CA. */
  readonly clientCertificate?: ClientCertificate;
  /** Aborts when the caller has gone or the transport's time is over. */
  readonly signal: AbortSignal;
}

/** The verified client certificate. Kubernetes reads the user from the common name and groups from organizations. */
export interface ClientCertificate {
  readonly pem?: string;
  readonly subject: { readonly commonName: string; readonly organizations: readonly string[] };
}

export interface KubeletResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** A text is sent as UTF-8. A stream is sent chunk by chunk as it comes and is ended early when the caller leaves. */
  readonly body: string | Uint8Array | AsyncIterable<Uint8Array>;
}

/** Of a mount whose connections cannot be upgraded. Answers every request; what it does not know is an answer too. Rejects only on faults of our own (the mount says 500). */
export type KubeletHandler = (request: KubeletRequest) => Promise<KubeletResponse>;
