import type { Clock } from '../core/clock.ts';
import { SvkError } from '../core/errors.ts';
import { unlessAborted } from '../core/unless-aborted.ts';
import { auditSession, failureResult, type SessionSubject, sessionMessage } from '../kubelet/session-audit.ts';
import type { KubeletUpgrade, PortForwardUpgrade, RemoteCommandUpgrade } from '../kubelet/upgrade.ts';
import type { Logger } from '../ports/logger.ts';
import type { RemoteStreams } from '../ports/remote-streams.ts';
import { acceptPortForward } from '../streaming/port-forward.ts';
import { acceptRemoteCommand } from '../streaming/remote-command.ts';
import type {
  RemoteCommandResult,
  RemoteCommandSession,
  SessionFigures,
  StreamLimits,
  UpgradeRequest,
} from '../streaming/session.ts';

export interface SessionsOptions {
  readonly limits: StreamLimits;
  /** Sessions at once; more are turned away. */
  readonly capacity: number;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Carries the sessions that the kubelet API has admitted, and leaves one audit line for each. A client that goes ends its
 * command; a command that ends is told to the client, output first.
 */
export class Sessions {
  readonly #options: SessionsOptions;
  readonly #closing = new AbortController();
  readonly #running = new Set<Promise<void>>();

  constructor(options: SessionsOptions) {
    this.#options = options;
  }

  get isFull(): boolean {
    return this.#running.size >= this.#options.capacity || this.#closing.signal.aborted;
  }

  /** Carries a session to its end. Never rejects: what went wrong was told to the client, or there is none any more. */
  async carry(upgrade: UpgradeRequest, wanted: KubeletUpgrade): Promise<void> {
    const carried = wanted.kind === 'remote-command' ? this.#command(upgrade, wanted) : this.#forward(upgrade, wanted);
    const settled = carried.catch((error: unknown) => {
      this.#options.logger.error('session failed', { ...wanted.subject, error });
      upgrade.socket.destroy();
    });
    this.#running.add(settled);
    await settled;
    this.#running.delete(settled);
  }

  /** Tells every client that the server closes, and takes no more. */
  close(): void {
    this.#closing.abort(new Error('the server is closing'));
  }

  /** Resolves when every session has ended and was written down. */
  async ended(): Promise<void> {
    await Promise.all(this.#running);
  }

  async #command(upgrade: UpgradeRequest, { subject, options, run }: RemoteCommandUpgrade): Promise<void> {
    const { limits, clock } = this.#options;
    const began = clock.now();
    const session = await acceptRemoteCommand(upgrade, options, limits, { clock, closing: this.#closing.signal });
    if (session === undefined) return;
    const { told, result } = await this.#outcome(run(streamsOf(session), session.signal), session.signal, subject);
    await session.finish(told);
    this.#audit(subject, began, session.figures(), result);
  }

  async #outcome(
    running: Promise<number>,
    signal: AbortSignal,
    subject: SessionSubject,
  ): Promise<{ readonly told: RemoteCommandResult; readonly result: string }> {
    try {
      const exitCode = await unlessAborted(running, signal);
      return { told: { exitCode }, result: subject.session === 'attach' ? 'ended' : `exit ${exitCode}` };
    } catch (error) {
      const message = sessionMessage(error);
      if (signal.aborted) return { told: { message }, result: `cut: ${reasonOf(signal)}` };
      if (!(error instanceof SvkError)) this.#options.logger.error('session failed', { ...subject, error });
      return { told: { message }, result: failureResult(error) };
    }
  }

  async #forward(upgrade: UpgradeRequest, { subject, dial }: PortForwardUpgrade): Promise<void> {
    const { limits, clock, logger } = this.#options;
    const began = clock.now();
    const session = await acceptPortForward(upgrade, dial, limits, {
      clock,
      closing: this.#closing.signal,
      onRefused: (port) => logger.info('nobody listens at a forwarded port', { ...subject, port }),
    });
    if (session === undefined) return;
    await session.ended;
    this.#audit(subject, began, session.figures(), `ended: ${reasonOf(session.signal)}`);
  }

  #audit(subject: SessionSubject, began: number, figures: SessionFigures, result: string): void {
    const { clock, logger } = this.#options;
    auditSession(logger, subject, { ...figures, durationMs: clock.now() - began, result });
  }
}

const streamsOf = ({ stdin, stdout, stderr, sizes }: RemoteCommandSession): RemoteStreams => ({
  sizes,
  ...(stdin && { stdin }),
  ...(stdout && { stdout }),
  ...(stderr && { stderr }),
});

const reasonOf = ({ reason }: AbortSignal): string => (reason instanceof Error ? reason.message : 'no reason given');
