import { pipeline } from 'node:stream/promises';
import type { ExecQuery } from '../model/remote-query.ts';
import type { Provider } from '../ports/provider.ts';
import type { RemoteStreams } from '../ports/remote-streams.ts';
import type { Caller } from './caller.ts';
import { faultOfCommand } from './command-fault.ts';
import type { KubeletRequest, KubeletResponse } from './http.ts';
import { parseRemoteCommandOptions } from './remote-command-options.ts';
import { failure } from './responses.ts';
import type { RemoteCommandRoute } from './route.ts';
import { subjectOf } from './session-audit.ts';
import { findSessionTarget, type SessionTargetDependencies } from './session-target.ts';
import { refuseSession } from './stream-refusal.ts';
import { asksToUpgrade, type RemoteCommandOptions, type RemoteCommandUpgrade } from './upgrade.ts';

export interface RemoteCommandDependencies extends SessionTargetDependencies {
  readonly provider: Pick<Provider, 'find' | 'exec' | 'attach' | 'logs' | 'name'>;
}

/**
 * `/exec/{namespace}/{pod}[/{uid}]/{container}` and `/attach/…`, by GET (WebSocket) or POST (SPDY). Checks before the
 * connection is touched, in kubelet's order: the options (400), the pod and its container (404), the upgrade (400). Where
 * the provider cannot attach, the container's log from now on is what an attach without input gets.
 */
export const startRemoteCommand = async (
  request: KubeletRequest,
  route: RemoteCommandRoute,
  caller: Caller,
  dependencies: RemoteCommandDependencies,
): Promise<KubeletResponse | RemoteCommandUpgrade> => {
  const { provider, node } = dependencies;
  const container = route.container ?? '';
  const options = parseRemoteCommandOptions(request.query);
  const command = request.query.getAll('command');
  if (options === undefined) return badRequest('you must specify at least 1 of stdin, stdout, stderr');
  if (route.kind === 'exec' && command.length === 0) return badRequest('you must specify a command');
  const fault = faultOfCommand(command, request);
  if (fault !== undefined) return badRequest(fault);
  const start = starterOf(provider, route.kind, { container, command, ...options });
  if (start === undefined) return refuseSession(route.kind, { node, provider: provider.name });
  const target = await findSessionTarget(route, dependencies, request.signal);
  if (!target.ok) return target.refusal;
  if (!asksToUpgrade(request)) return badRequest('unable to upgrade: missing upgrade headers in request');
  const { podUid, workloadId } = target;
  return {
    kind: 'remote-command',
    subject: subjectOf(route, caller, { podUid, ...(command[0] === undefined ? {} : { program: command[0] }) }),
    options,
    run: (streams, signal) => start(workloadId, streams, signal),
  };
};

type Starter = (workloadId: string, streams: RemoteStreams, signal: AbortSignal) => Promise<number>;

/** Undefined where the provider cannot do it. */
const starterOf = (
  provider: RemoteCommandDependencies['provider'],
  kind: 'exec' | 'attach',
  { container, command, tty, stdin }: RemoteCommandOptions & Pick<ExecQuery, 'container' | 'command'>,
): Starter | undefined => {
  const { exec, attach } = provider;
  if (kind === 'exec') {
    if (exec === undefined) return undefined;
    return (workloadId, streams, signal) =>
      exec.call(provider, { workloadId, container, command, tty }, streams, signal);
  }
  if (attach !== undefined) {
    return async (workloadId, streams, signal) => {
      await attach.call(provider, { workloadId, container, tty }, streams, signal);
      return 0;
    };
  }
  // Who only watches sees the same in the log.
  return stdin
    ? undefined
    : (workloadId, streams, signal) => followLog(provider, { workloadId, container }, streams, signal);
};

const followLog = async (
  provider: Pick<Provider, 'logs'>,
  container: { readonly workloadId: string; readonly container: string },
  { stdout, stderr }: RemoteStreams,
  signal: AbortSignal,
): Promise<number> => {
  const log = provider.logs({ ...container, follow: true, timestamps: false, tailLines: 0 }, signal);
  const output = stdout ?? stderr;
  if (output !== undefined) await pipeline(log, output, { signal, end: false });
  return 0;
};

const badRequest = (message: string): KubeletResponse => failure(400, 'BadRequest', message);
