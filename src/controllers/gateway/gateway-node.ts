import type { Clock } from '../../core/clock.ts';
import { ConflictError, ignoreNotFound } from '../../core/errors.ts';
import { wholeSecondTime } from '../../core/micro-time.ts';
import type { Node } from '../../model/kubernetes.ts';
import type { NodesApi } from '../../ports/kubernetes.ts';
import type { Logger } from '../../ports/logger.ts';
import { toEndpointStatus, withAddresses } from '../node/desired-node.ts';
import type { Deployment } from '../node/node-definition.ts';
import { isOurNode } from '../node/ownership.ts';
import { type Announcement, announcementOf, ENDPOINT_ANNOTATION } from './announcement.ts';

export interface GatewayNodeOptions {
  readonly node: string;
  readonly deployment: Pick<Deployment, 'name'>;
  /** Where this gateway serves the node. */
  readonly endpoint: { readonly host: string; readonly port: number; readonly webSockets: boolean };
  /** This process. */
  readonly holder: string;
  /** Whether there is a certificate to serve with: the endpoint before is better than one that only refuses. */
  readonly isServing: () => boolean;
  readonly nodes: Pick<NodesApi, 'get' | 'patch' | 'patchStatus'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

const LOOK_MS = 10_000;
/** How long an announcement holds; it is renewed when half of that is over. */
const HOLDS_MS = 60_000;

/** What is known of one node, for a log that tells changes only. */
type Standing = 'looking' | 'not registered' | 'not ours' | 'no certificate' | 'served by another' | 'announced';

/**
 * Announces where a gateway serves one node, again and again: whoever keeps the node writes that address into its status
 * while it holds, and its own when the gateway has gone. Of two gateways the second waits until the first has gone.
 */
export class GatewayNode {
  readonly #options: GatewayNodeOptions;
  #standing: Standing = 'looking';

  constructor(options: GatewayNodeOptions) {
    this.#options = options;
  }

  /** Goes on until `signal` aborts. Never rejects: the next look is the retry. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, logger, node } = this.#options;
    while (!signal.aborted) {
      try {
        this.#tell(await this.#look(signal));
      } catch (error) {
        // Somebody wrote between our read and our write.
        if (!signal.aborted && !(error instanceof ConflictError))
          logger.warn('node not announced; it is tried again', { node, error });
      }
      await clock.sleep(LOOK_MS, signal).catch(() => undefined);
    }
  }

  /** Takes the announcement back: whoever keeps the node writes its own address with the next status. */
  async withdraw(signal: AbortSignal): Promise<void> {
    const { nodes, node, logger } = this.#options;
    const found = await ignoreNotFound(nodes.get(node, signal));
    if (found === undefined || !this.#isMine(announcementOf(found))) return;
    const { resourceVersion } = found.metadata ?? {};
    await nodes.patch(node, { metadata: { resourceVersion, annotations: { [ENDPOINT_ANNOTATION]: null } } }, signal);
    logger.info('announcement withdrawn', { node });
  }

  async #look(signal: AbortSignal): Promise<Standing> {
    const { nodes, node, deployment, isServing, clock } = this.#options;
    const found = await ignoreNotFound(nodes.get(node, signal));
    if (found === undefined) return 'not registered';
    if (!isOurNode(found, deployment)) return 'not ours';
    const now = clock.now();
    const said = announcementOf(found);
    if (said !== undefined && !this.#isMine(said) && Date.parse(said.until) > now) return 'served by another';
    if (!isServing()) return 'no certificate';
    const left = said !== undefined && this.#isMine(said) ? Date.parse(said.until) - now : 0;
    const announced = left > HOLDS_MS / 2 ? found : await this.#announce(found, now, signal);
    if (!this.#isWritten(announced)) await this.#write(signal);
    return 'announced';
  }

  #announce({ metadata }: Node, now: number, signal: AbortSignal): Promise<Node> {
    const { nodes, node, endpoint, holder } = this.#options;
    const said: Announcement = { ...endpoint, holder, until: wholeSecondTime(now + HOLDS_MS) };
    const annotations = { [ENDPOINT_ANNOTATION]: JSON.stringify(said) };
    return nodes.patch(node, { metadata: { resourceVersion: metadata?.resourceVersion, annotations } }, signal);
  }

  /** At once: the keeper's next status may be a minute away. */
  async #write(signal: AbortSignal): Promise<void> {
    const { nodes, node, endpoint } = this.#options;
    await nodes.patchStatus(node, withAddresses(toEndpointStatus(node, endpoint)), signal);
  }

  #isWritten({ status }: Node): boolean {
    const { host, port } = this.#options.endpoint;
    return (
      status?.daemonEndpoints?.kubeletEndpoint?.Port === port &&
      status.addresses?.some(({ address }) => address === host) === true
    );
  }

  #isMine(said: Announcement | undefined): boolean {
    return said?.holder === this.#options.holder;
  }

  #tell(standing: Standing): void {
    if (standing === this.#standing) return;
    const { logger, node, endpoint } = this.#options;
    this.#standing = standing;
    const log = standing === 'not ours' ? logger.error.bind(logger) : logger.info.bind(logger);
    log('node looked at', { node, standing, ...endpoint });
  }
}
