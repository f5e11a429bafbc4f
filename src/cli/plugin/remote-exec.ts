import type { Clock, Random } from '../../core/clock.ts';
import type { RemoteStreams } from '../../ports/remote-streams.ts';
import { checkDirect } from '../../providers/fargate/exec/direct-session.ts';
import { parseFraming } from '../../providers/fargate/exec/framing.ts';
import { runSession } from '../../providers/fargate/exec/run-session.ts';
import { NoShellError } from '../../providers/fargate/exec/start-failure.ts';
import type { DataKeySource } from '../../streaming/ssm/data-key.ts';
import { openWebSocketLink } from '../../streaming/ssm/web-socket-link.ts';
import { requestSession, requestSessionKey } from './kubelet-requests.ts';
import type { PodEndpoint } from './pod-endpoint.ts';

export interface PluginDependencies {
  readonly clock: Clock;
  readonly random: Random;
}

/** Runs a command in the container, its stream carried from here; answers the exit code. */
export const remoteExec = async (
  endpoint: PodEndpoint,
  { command, tty }: { readonly command: readonly string[]; readonly tty: boolean },
  streams: RemoteStreams,
  deps: PluginDependencies,
  signal: AbortSignal,
): Promise<number> => {
  const stdin = streams.stdin !== undefined;
  const run = async (direct: boolean): Promise<number> => {
    const session = await requestSession(endpoint, { command, tty, stdin, direct }, signal);
    const framing = parseFraming(session.framing);
    const link = await openWebSocketLink(session.streamUrl, { headers: {}, signal });
    const dataKey: DataKeySource = (request, until) =>
      requestSessionKey(endpoint, { ...request, sessionId: session.sessionId }, until);
    const access = { link, tokenValue: session.tokenValue, dataKey, framing, program: command[0] ?? '' };
    return runSession(access, streams, deps, signal);
  };
  try {
    return await run(false);
  } catch (error) {
    if (!(error instanceof NoShellError)) throw error;
    checkDirect({ tty, stdin });
    return run(true);
  }
};
