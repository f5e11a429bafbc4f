import { delaySecondsAfter } from '../../core/backoff.ts';
import type { Clock, Random } from '../../core/clock.ts';
import { ConflictError } from '../../core/errors.ts';
import { wholeSecondTime } from '../../core/micro-time.ts';
import type {
  CertificateKeeper,
  CertificatePair,
  CertificateRequest,
  CertificateRequestsApi,
  RequestedKey,
} from '../../ports/certificates.ts';
import type { Logger } from '../../ports/logger.ts';
import { type CertificateLife, inspectCertificate, renewalTime } from './certificate-life.ts';
import { issuedState, type ServingState, waitingState } from './serving-state.ts';

/** Makes a key and the request for its certificate. */
export type MakeRequest = (subject: {
  readonly organization: string;
  readonly commonName: string;
  readonly names: readonly string[];
}) => { readonly privateKey: string; readonly request: string };

export interface ServingCertificateOptions {
  readonly node: string;
  /** Addresses and names the node is reached by. */
  readonly names: readonly string[];
  readonly signerName: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly requests: CertificateRequestsApi;
  readonly makeRequest: MakeRequest;
  readonly keeper: CertificateKeeper;
  /** Told of every certificate to serve with from now on. */
  readonly onIssued: (pair: CertificatePair) => void;
  /** Told, after each look, how things stand. */
  readonly report: (state: ServingState, request: CertificateRequest | undefined) => Promise<void>;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/** While somebody has to approve: soon at first, then every ten seconds. */
const POLL = { initialSeconds: 1, maxSeconds: 10 };
const REFUSED_MS = 60_000;
/** While nothing is wanted: the Node may have been made anew. */
const LOOK_MS = 600_000;

/**
 * The one name a node's request has: whoever starts anew finds what was left behind, and a role can name what may be
 * deleted.
 */
export const requestNameOf = (node: string): string => `svk-${node}-serving`;

/**
 * Keeps a node's serving certificate: asks the cluster for it, waits until somebody has approved the request and the
 * signer has signed it, and asks for the next one at 70 to 90 % of its life, the one before serving on. Level-triggered:
 * every look finds out anew what is there.
 */
export class ServingCertificate {
  readonly #options: ServingCertificateOptions;
  #held: (CertificatePair & CertificateLife & { readonly renewAt: number }) | undefined;
  #requested: RequestedKey | undefined;
  #looks = 0;
  #isLoaded = false;

  constructor(options: ServingCertificateOptions) {
    this.#options = options;
  }

  /** Goes on until `signal` aborts. Never rejects: the next look is the retry. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const waitMs = await this.#tryLook(signal);
      await this.#options.clock.sleep(waitMs, signal).catch(() => undefined);
    }
  }

  async #tryLook(signal: AbortSignal): Promise<number> {
    const { logger, node, report } = this.#options;
    try {
      return await this.#look(signal);
    } catch (error) {
      if (signal.aborted) return 0;
      logger.warn('serving certificate not obtained; it is tried again', { node, error });
      const message = `serving certificate: ${error instanceof Error ? error.message : 'unknown'}`;
      await report({ isServing: this.#held !== undefined, reason: 'RequestNotPossible', message }, undefined);
      return REFUSED_MS;
    }
  }

  /** One look; answers the milliseconds until the next. */
  async #look(signal: AbortSignal): Promise<number> {
    const { clock, requests, node, report, logger } = this.#options;
    await this.#load();
    const now = clock.now();
    if (this.#held !== undefined && now < this.#held.renewAt) {
      await report(issuedState(this.#held.notAfter), undefined);
      return Math.min(this.#held.renewAt - now, LOOK_MS);
    }
    const key = await this.#keyToCertify();
    const found = await requests.find(requestNameOf(node), signal);
    if (found === undefined) return this.#ask(key, signal);
    if (found.request.trim() !== key.request.trim() || found.signerName !== key.signerName) {
      // Left behind by a process whose key is gone: nobody could use its certificate. The pause is for the case that the
      // process is not gone: two of them must not ask in turn as fast as they can.
      logger.info('request of an earlier process removed', { node, request: found.name });
      await requests.delete(found, signal);
      return this.#pollMs();
    }
    if (found.state.kind === 'issued') return this.#take(key, found.state.certificate, found, signal);
    await report(waitingState(found, this.#serving()), found);
    return found.state.kind === 'denied' || found.state.kind === 'failed' ? REFUSED_MS : this.#pollMs();
  }

  /** What an earlier process has left in the keeper, where that still serves. */
  async #load(): Promise<void> {
    if (this.#isLoaded) return;
    const { keeper, onIssued } = this.#options;
    const kept = await keeper.current();
    this.#isLoaded = true;
    if (kept !== undefined && this.#hold(kept) === undefined) onIssued(kept);
  }

  /** Takes a pair to serve with; answers what is wrong with it, where something is. */
  #hold(pair: CertificatePair): string | undefined {
    const { names, random, clock } = this.#options;
    const inspected = inspectCertificate(pair, names);
    if ('fault' in inspected) return inspected.fault;
    const { life } = inspected;
    if (clock.now() >= life.notAfter) return 'it has expired';
    this.#held = { ...pair, ...life, renewAt: renewalTime(life, random) };
    return undefined;
  }

  async #keyToCertify(): Promise<RequestedKey> {
    const { keeper, makeRequest, node, names, signerName } = this.#options;
    const known = this.#requested ?? (await keeper.requested());
    if (known !== undefined && known.signerName === signerName && sameNames(known.names, names)) {
      this.#requested = known;
      return known;
    }
    const made = makeRequest({ organization: 'system:nodes', commonName: `system:node:${node}`, names });
    const key = { ...made, names, signerName };
    await keeper.keepRequested(key);
    this.#requested = key;
    return key;
  }

  async #ask({ request, signerName }: RequestedKey, signal: AbortSignal): Promise<number> {
    const { requests, labels, node, report, logger } = this.#options;
    const name = requestNameOf(node);
    const usages = ['digital signature', 'server auth'];
    try {
      const created = await requests.create({ name, labels, signerName, request, usages }, signal);
      logger.info('serving certificate asked for', { node, request: name, signerName });
      await report(waitingState(created, this.#serving()), created);
    } catch (error) {
      // Somebody else has just asked: the next look sees whose it is.
      if (!(error instanceof ConflictError)) throw error;
    }
    return this.#pollMs();
  }

  async #take(
    { privateKey }: RequestedKey,
    certificate: string,
    request: CertificateRequest,
    signal: AbortSignal,
  ): Promise<number> {
    const { keeper, onIssued, report, logger, node, requests } = this.#options;
    const pair = { certificate, privateKey };
    const fault = this.#hold(pair);
    if (fault !== undefined) {
      await requests.delete(request, signal);
      this.#requested = undefined;
      throw new Error(`signer ${request.signerName} has signed ${request.name}, but ${fault}`);
    }
    onIssued(pair);
    await keeper.keepCurrent(pair);
    this.#requested = undefined;
    this.#looks = 0;
    logger.info('serving certificate issued', { node, until: wholeSecondTime(this.#held?.notAfter ?? 0) });
    await report(issuedState(this.#held?.notAfter ?? 0), request);
    return 0;
  }

  #serving(): { readonly until: number } | undefined {
    return this.#held && { until: this.#held.notAfter };
  }

  #pollMs(): number {
    this.#looks += 1;
    return delaySecondsAfter(POLL, this.#looks) * 1_000;
  }
}

const sameNames = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((name) => b.includes(name));
