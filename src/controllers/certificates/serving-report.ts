import type { Clock } from '../../core/clock.ts';
import { ConflictError } from '../../core/errors.ts';
import { wholeSecondTime } from '../../core/micro-time.ts';
import type { NodeCondition } from '../../model/kubernetes.ts';
import type { CertificateRequest } from '../../ports/certificates.ts';
import type { EventsApi, NodesApi } from '../../ports/kubernetes.ts';
import type { Logger } from '../../ports/logger.ts';
import { nodeEvent } from '../pod/events/kubernetes-event.ts';
import type { ServingState } from './serving-state.ts';

/** Condition type: whether the cluster has signed the certificate that the kubelet API shows. */
const SERVING_CERTIFICATE = 'ServingCertificate';

/** A Node may be made anew at any time, without the condition. */
const REPEAT_MS = 60_000;

export interface ServingReportOptions {
  readonly node: string;
  readonly nodes: Pick<NodesApi, 'patchStatus'>;
  readonly events: EventsApi;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Tells how a node's serving certificate stands: a condition of its own on the Node, and one event for each request that
 * somebody has to approve. Never rejects: what could not be told is told by the next call.
 */
export class ServingReport {
  readonly #options: ServingReportOptions;
  #told: { readonly state: ServingState; readonly at: number; readonly since: number } | undefined;
  #eventOf: string | undefined;

  constructor(options: ServingReportOptions) {
    this.#options = options;
  }

  async tell(state: ServingState, request: CertificateRequest | undefined, signal: AbortSignal): Promise<void> {
    const { logger, node } = this.#options;
    try {
      await this.#condition(state, signal);
      await this.#event(state, request, signal);
    } catch (error) {
      if (!signal.aborted) logger.debug('serving certificate not told of', { node, error });
    }
  }

  async #condition(state: ServingState, signal: AbortSignal): Promise<void> {
    const { node, nodes, clock } = this.#options;
    const now = clock.now();
    const before = this.#told;
    const isNews = before?.state.reason !== state.reason || before.state.message !== state.message;
    if (!isNews && now - before.at < REPEAT_MS) return;
    const since = before?.state.isServing === state.isServing ? before.since : now;
    const condition: NodeCondition = {
      type: SERVING_CERTIFICATE,
      status: state.isServing ? 'True' : 'False',
      reason: state.reason,
      message: state.message,
      lastHeartbeatTime: wholeSecondTime(now),
      lastTransitionTime: wholeSecondTime(since),
    };
    await nodes.patchStatus(node, { conditions: [condition] }, signal);
    this.#told = { state, at: now, since };
  }

  async #event(state: ServingState, request: CertificateRequest | undefined, signal: AbortSignal): Promise<void> {
    if (request === undefined || request.state.kind === 'issued' || request.state.kind === 'approved') return;
    const key = `${request.uid}/${request.state.kind}`;
    if (this.#eventOf === key) return;
    const { node, events, clock } = this.#options;
    const event = {
      key,
      type: 'Warning',
      reason: `ServingCertificate${state.reason}`,
      message: state.message,
    } as const;
    try {
      await events.create(nodeEvent(node, event, clock.now()), signal);
    } catch (error) {
      // Already there: an earlier process has told.
      if (!(error instanceof ConflictError)) throw error;
    }
    this.#eventOf = key;
  }
}
