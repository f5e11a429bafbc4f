import { ConflictError } from '../../../src/core/errors.ts';
import type {
  CertificateRequest,
  CertificateRequestState,
  CertificateRequestsApi,
  NewCertificateRequest,
} from '../../../src/ports/certificates.ts';

/** CertificateSigningRequests in memory. Nobody approves or signs one but the test. */
export class FakeCertificateRequests implements CertificateRequestsApi {
  /** Every request there ever was, in their order. */
  readonly history: (NewCertificateRequest & { readonly uid: string })[] = [];
  readonly #requests = new Map<string, CertificateRequest>();
  #fault: Error | undefined;

  async find(name: string): Promise<CertificateRequest | undefined> {
    this.#fail();
    return this.#requests.get(name);
  }

  async create(request: NewCertificateRequest): Promise<CertificateRequest> {
    this.#fail();
    if (this.#requests.has(request.name)) throw new ConflictError(`${request.name} already exists`);
    const uid = `csr-${this.history.length + 1}`;
    this.history.push({ ...request, uid });
    const { name, signerName } = request;
    const created = { name, uid, signerName, request: request.request, state: { kind: 'pending' } } as const;
    this.#requests.set(name, created);
    return created;
  }

  async delete({ name, uid }: { readonly name: string; readonly uid: string }): Promise<void> {
    this.#fail();
    if (this.#requests.get(name)?.uid === uid) this.#requests.delete(name);
  }

  /** What approver or signer say. */
  say(name: string, state: CertificateRequestState): void {
    const found = this.#requests.get(name);
    if (found === undefined) throw new Error(`there is no request ${name}`);
    this.#requests.set(name, { ...found, state });
  }

  /** Its object goes, as the control plane removes old ones. */
  expire(name: string): void {
    this.#requests.delete(name);
  }

  get(name: string): CertificateRequest | undefined {
    return this.#requests.get(name);
  }

  /** Every call is rejected from now on; undefined: no longer. */
  failWith(error: Error | undefined): void {
    this.#fault = error;
  }

  #fail(): void {
    if (this.#fault !== undefined) throw this.#fault;
  }
}
