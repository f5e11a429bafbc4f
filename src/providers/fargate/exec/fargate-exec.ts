import type { Clock, Random } from '../../../core/clock.ts';
import { withDeadline } from '../../../core/deadline.ts';
import type { ExecQuery, SessionKeyQuery, SessionQuery } from '../../../model/remote-query.ts';
import type { Logger } from '../../../ports/logger.ts';
import type { RemoteDataKey, RemoteSession, RemoteStreams } from '../../../ports/remote-streams.ts';
import type { DataKeySource } from '../../../streaming/ssm/data-key.ts';
import type { FrameLink } from '../../../streaming/ssm/frame-link.ts';
import { openWebSocketLink } from '../../../streaming/ssm/web-socket-link.ts';
import type { EcsApi } from '../aws/ecs-api.ts';
import { translateAwsError, translated } from '../aws/errors.ts';
import type { KeysApi } from '../aws/keys-api.ts';
import type { SessionsApi } from '../aws/sessions-api.ts';
import type { TaskReader } from '../tasks/task-reader.ts';
import { checkDirect } from './direct-session.ts';
import { requireAgent } from './exec-target.ts';
import { executeCommand, type OpenedSession } from './execute-command.ts';
import { commandLine, type Framing, formatFraming } from './framing.ts';
import { runSession } from './run-session.ts';
import { sessionDataKey } from './session-key.ts';
import { NoShellError } from './start-failure.ts';

export interface ExecDependencies {
  readonly ecs: EcsApi;
  readonly sessions: SessionsApi;
  readonly keys: KeysApi;
  readonly tasks: TaskReader;
  readonly clusterArn: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

interface ExecTarget extends ExecQuery {
  readonly runtimeId: string | undefined;
}

const TERMINATE_WITHIN_MS = 5000;

/** Commands in the containers of tasks, by ECS ExecuteCommand. */
export class FargateExec {
  readonly #deps: ExecDependencies;

  constructor(deps: ExecDependencies) {
    this.#deps = deps;
  }

  /** See `Provider.exec`. Where the image has no shell, the command runs by itself, and its end is an error. */
  async exec(query: ExecQuery, streams: RemoteStreams, signal: AbortSignal): Promise<number> {
    const stdin = streams.stdin !== undefined;
    const runtimeId = await requireAgent(this.#deps, query, signal);
    const target = { ...query, runtimeId };
    try {
      return await this.#run(target, this.#framing({ ...query, stdin, direct: false }), streams, signal);
    } catch (error) {
      if (!(error instanceof NoShellError)) throw error;
      return this.#run(target, this.#framing({ ...query, stdin, direct: true }), streams, signal);
    }
  }

  /** See `Provider.openSession`. */
  async openSession(query: SessionQuery, signal: AbortSignal): Promise<RemoteSession> {
    await requireAgent(this.#deps, query, signal);
    const framing = this.#framing(query);
    const { sessionId, streamUrl, tokenValue } = await this.#open(query, framing, signal);
    const { sessions, clock } = this.#deps;
    const presigned = await translated('signing the exec session', () => sessions.presigned(streamUrl, clock.now()));
    return { sessionId, streamUrl: presigned, tokenValue, framing: formatFraming(framing) };
  }

  /** See `Provider.sessionKey`. */
  async sessionKey(query: SessionKeyQuery, signal: AbortSignal): Promise<RemoteDataKey> {
    const runtimeId = await requireAgent(this.#deps, query, signal);
    return sessionDataKey(this.#deps, { ...query, runtimeId }, query, signal);
  }

  async #run(query: ExecTarget, framing: Framing, streams: RemoteStreams, signal: AbortSignal): Promise<number> {
    const { sessions, clock, random } = this.#deps;
    const { sessionId, streamUrl, tokenValue } = await this.#open(query, framing, signal);
    const terminate = (): Promise<void> => this.#terminate(sessionId);
    let link: FrameLink;
    try {
      const headers = await translated('signing the exec session', () =>
        sessions.signedHeaders(streamUrl, clock.now()),
      );
      link = await openWebSocketLink(streamUrl, { headers, signal });
    } catch (error) {
      // The agent has started the command, whether or not anybody comes to see it.
      await terminate();
      throw error;
    }
    const dataKey: DataKeySource = (request, until) =>
      sessionDataKey(this.#deps, { ...query, sessionId }, request, until);
    const access = { link, tokenValue, dataKey, framing, program: query.command[0] ?? '' };
    return runSession(access, streams, { clock, random, terminate }, signal);
  }

  /** Best effort: the signal of the caller has aborted by then. */
  async #terminate(sessionId: string): Promise<void> {
    const { sessions, clock, logger } = this.#deps;
    const limits = { ms: TERMINATE_WITHIN_MS, what: 'SSM TerminateSession', signal: new AbortController().signal };
    try {
      await withDeadline(clock, limits, (signal) => sessions.terminateSession(sessionId, signal));
    } catch (error) {
      const { message } = translateAwsError(error, 'SSM TerminateSession');
      logger.warn('exec session not ended: it ends by itself after 20 minutes without input', { sessionId, message });
    }
  }

  async #open(query: ExecQuery, framing: Framing, signal: AbortSignal): Promise<OpenedSession> {
    const { workloadId, container } = query;
    const command = commandLine(query.command, framing);
    return executeCommand(this.#deps, { workloadId, container, command }, signal);
  }

  #framing({ tty, stdin, direct }: Pick<SessionQuery, 'tty' | 'stdin' | 'direct'>): Framing {
    if (!direct) return { kind: 'wrapped', tty, stdin, marker: this.#deps.random.uuid().replaceAll('-', '') };
    checkDirect({ tty, stdin });
    return { kind: 'direct', tty, stdin, marker: '' };
  }
}
