/** CertificateSigningRequests of one API server. Rejects with errors of core/errors only, as the Kubernetes port does. */
export interface CertificateRequestsApi {
  /** Undefined where there is none of that name. */
  find(name: string, signal: AbortSignal): Promise<CertificateRequest | undefined>;
  /** @throws {ConflictError} where the name is taken. */
  create(request: NewCertificateRequest, signal: AbortSignal): Promise<CertificateRequest>;
  /** DELETE with UID precondition. One that is gone already is success. */
  delete(request: { readonly name: string; readonly uid: string }, signal: AbortSignal): Promise<void>;
}

export interface NewCertificateRequest {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly signerName: string;
  /** PKCS#10, a PEM text. */
  readonly request: string;
  readonly usages: readonly string[];
}

export interface CertificateRequest {
  readonly name: string;
  readonly uid: string;
  readonly signerName: string;
  /** A PEM text. */
  readonly request: string;
  readonly state: CertificateRequestState;
}

/** What approvers and signer have said so far. A refusal stands whatever else was said. */
export type CertificateRequestState =
  | { readonly kind: 'pending' }
  | { readonly kind: 'approved' }
  | { readonly kind: 'denied' | 'failed'; readonly message: string }
  /** PEM: the certificate, and those between it and its root. */
  | { readonly kind: 'issued'; readonly certificate: string };

/** A certificate and its private key, PEM texts. */
export interface CertificatePair {
  readonly certificate: string;
  readonly privateKey: string;
}

/** A key that waits for its certificate, and the request for that; PEM texts. */
export interface RequestedKey {
  readonly privateKey: string;
  readonly request: string;
  /** What was asked for: where something else is wanted by now, it is asked for anew. */
  readonly names: readonly string[];
  readonly signerName: string;
}

/** Where keys outlive the process, or do not. */
export interface CertificateKeeper {
  current(): Promise<CertificatePair | undefined>;
  requested(): Promise<RequestedKey | undefined>;
  /** Keeps the key before anybody is asked to certify it. */
  keepRequested(key: RequestedKey): Promise<void>;
  /** Keeps the pair in the place of the one before, and forgets the key that waited for it. */
  keepCurrent(pair: CertificatePair): Promise<void>;
}
