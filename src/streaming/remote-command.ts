import { refuseOtherUpgrade } from './refuse-upgrade.ts';
import { CommandSession } from './remote-command/command-session.ts';
import { acceptSpdyCommand } from './remote-command/spdy-command.ts';
import { acceptWebSocketCommand } from './remote-command/websocket-command.ts';
import type {
  RemoteCommandOptions,
  RemoteCommandSession,
  StreamDeps,
  StreamLimits,
  UpgradeRequest,
} from './session.ts';
import { upgradeKindOf } from './upgrade-kind.ts';

/**
 * Upgrades a request for exec or attach. Undefined where there will be no session: the refusal (400: no upgrade we speak,
 * or no protocol named; 403: none of the protocols is known) was answered on the socket, the client has gone, or it did
 * not open its streams in time.
 *
 * A terminal has one output: with `tty` no stderr is offered.
 */
export const acceptRemoteCommand = async (
  upgrade: UpgradeRequest,
  options: RemoteCommandOptions,
  limits: StreamLimits,
  deps: StreamDeps,
): Promise<RemoteCommandSession | undefined> => {
  const kind = upgradeKindOf(upgrade.message);
  const wanted = { ...options, stderr: options.stderr && !options.tty };
  switch (kind) {
    case 'spdy': {
      const carried = await acceptSpdyCommand(upgrade, wanted, limits, deps);
      return carried && new CommandSession(carried, limits, deps);
    }
    case 'websocket': {
      const carried = acceptWebSocketCommand(upgrade, wanted, deps);
      return carried && new CommandSession(carried, limits, deps);
    }
    case undefined:
      refuseOtherUpgrade(upgrade.socket);
      return undefined;
    default:
      return kind satisfies never;
  }
};
