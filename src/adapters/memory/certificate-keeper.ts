import type { CertificateKeeper, CertificatePair, RequestedKey } from '../../ports/certificates.ts';

/** Keys that end with the process: the next one asks for a certificate of its own. */
export class MemoryCertificateKeeper implements CertificateKeeper {
  #current: CertificatePair | undefined;
  #requested: RequestedKey | undefined;

  async current(): Promise<CertificatePair | undefined> {
    return this.#current;
  }

  async requested(): Promise<RequestedKey | undefined> {
    return this.#requested;
  }

  async keepRequested(key: RequestedKey): Promise<void> {
    this.#requested = key;
  }

  async keepCurrent(pair: CertificatePair): Promise<void> {
    this.#current = pair;
    this.#requested = undefined;
  }
}
