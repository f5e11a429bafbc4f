import { ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Clock } from '../core/clock.ts';
import type { KubeletResponse } from '../kubelet/http.ts';
import { failure, text } from '../kubelet/responses.ts';
import type { UpgradeHandler } from '../kubelet/upgrade.ts';
import type { Logger } from '../ports/logger.ts';
import type { UpgradeRequest } from '../streaming/session.ts';
import { requestOf } from './read-request.ts';
import { sendResponse } from './send-response.ts';
import type { Sessions } from './sessions.ts';

/**
 * Answers one request for an upgrade: what the handler refuses as any other request, the rest as a session. Resolves when
 * that is over; never rejects.
 */
export const serveUpgrade = async (
  upgrade: UpgradeRequest,
  {
    handler,
    sessions,
    clock,
    logger,
  }: {
    readonly handler: UpgradeHandler;
    readonly sessions: Sessions;
    readonly clock: Pick<Clock, 'now'>;
    readonly logger: Logger;
  },
): Promise<void> => {
  const { message, socket } = upgrade;
  const gone = new AbortController();
  socket.once('close', () => gone.abort(new Error('the client has gone')));
  // Whoever leaves while we still look at its request is nobody's fault.
  socket.on('error', () => undefined);
  try {
    const answer = await answerOf(
      handler(requestOf(message, { signal: gone.signal, now: clock.now() })),
      gone.signal,
      logger,
    );
    if (gone.signal.aborted) return;
    if (!('kind' in answer)) await refuse(upgrade, answer);
    else if (sessions.isFull) await refuse(upgrade, NO_ROOM);
    else await sessions.carry(upgrade, answer);
  } catch (error) {
    if (!gone.signal.aborted) logger.error('request failed', { error });
    socket.destroy();
  }
};

const answerOf = async (
  answer: ReturnType<UpgradeHandler>,
  signal: AbortSignal,
  logger: Logger,
): ReturnType<UpgradeHandler> => {
  try {
    return await answer;
  } catch (error) {
    if (!signal.aborted) logger.error('request failed', { error });
    return text(500, 'internal error');
  }
};

const NO_ROOM = failure(
  503,
  'ServiceUnavailable',
  'this endpoint carries as many sessions as it can: end some of them, or try again later',
);

/** An HTTP answer on a socket that Node has given away already. */
const refuse = async ({ message, socket }: UpgradeRequest, response: KubeletResponse): Promise<void> => {
  if (!(socket instanceof Socket)) throw new TypeError('an upgrade without a socket');
  const answer = new ServerResponse(message);
  answer.shouldKeepAlive = false;
  answer.assignSocket(socket);
  answer.once('finish', () => socket.end(() => socket.destroy()));
  await sendResponse(answer, response);
};
