import type { RemoteStreams } from '../../../ports/remote-streams.ts';
import { runDirectSession } from './direct-session.ts';
import type { SessionAccess, SessionDependencies } from './session-io.ts';
import { WrappedSession } from './wrapped-session.ts';

/**
 * Carries a session between the caller's streams and the command, and answers the exit code; see `Provider.exec`.
 * @throws {NoShellError} where it was wrapped and the image has no shell: nothing has run.
 */
export const runSession = (
  access: SessionAccess,
  streams: RemoteStreams,
  deps: SessionDependencies,
  signal: AbortSignal,
): Promise<number> =>
  access.framing.kind === 'wrapped'
    ? new WrappedSession(access, streams, deps).run(signal)
    : runDirectSession(access, streams, deps, signal);
