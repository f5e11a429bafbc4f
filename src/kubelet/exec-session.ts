import type { Clock } from '../core/clock.ts';
import type { Logger } from '../ports/logger.ts';
import type { Provider } from '../ports/provider.ts';
import type { Caller } from './caller.ts';
import { faultOfCommand } from './command-fault.ts';
import type { KubeletRequest, KubeletResponse } from './http.ts';
import { parseRemoteCommandOptions } from './remote-command-options.ts';
import { failure, json } from './responses.ts';
import type { RemoteCommandRoute } from './route.ts';
import { subjectOf } from './session-audit.ts';
import { findSessionTarget, type SessionTargetDependencies } from './session-target.ts';

export interface ExecSessionDependencies extends SessionTargetDependencies {
  readonly provider: Pick<Provider, 'name' | 'find' | 'openSession'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Media type of the answer, by which it is asked for: the caller wants to carry the stream by itself. */
export const SESSION = 'application/vnd.svk.session+json';

/**
 * `POST /exec/…` with `Accept: application/vnd.svk.session+json`: starts the command and answers the one-time session,
 * `{sessionId, streamUrl, tokenValue, framing}`, for a client that opens the stream itself: nothing has to be upgraded
 * here. Options as for exec, and `direct=1` for an image without a shell. The audit line is written before the answer: what
 * comes of the session is not seen here.
 */
export const openExecSession = async (
  request: KubeletRequest,
  route: RemoteCommandRoute,
  caller: Caller,
  dependencies: ExecSessionDependencies,
): Promise<KubeletResponse> => {
  const { provider, node, clock, logger } = dependencies;
  if (provider.openSession === undefined)
    return failure(501, 'NotImplemented', `sessions are not supported by provider ${provider.name} of node ${node}`);
  const options = parseRemoteCommandOptions(request.query);
  const command = request.query.getAll('command');
  const [program] = command;
  if (options === undefined) return failure(400, 'BadRequest', 'you must specify at least 1 of stdin, stdout, stderr');
  if (program === undefined) return failure(400, 'BadRequest', 'you must specify a command');
  const fault = faultOfCommand(command, request);
  if (fault !== undefined) return failure(400, 'BadRequest', fault);
  const target = await findSessionTarget(route, dependencies, request.signal);
  if (!target.ok) return target.refusal;
  const { podUid, workloadId } = target;
  const { tty, stdin } = options;
  const direct = request.query.get('direct') === '1';
  const query = { workloadId, container: route.container ?? '', command, tty, stdin, direct };
  const session = await provider.openSession(query, request.signal);
  logger.info('session brokered', {
    ...subjectOf(route, caller, { podUid, program }),
    sessionId: session.sessionId,
    startedAt: new Date(clock.now()).toISOString(),
  });
  const answer = json(200, session);
  return { ...answer, headers: { ...answer.headers, 'content-type': SESSION, 'cache-control': 'no-store' } };
};
