import type { IncomingMessage } from 'node:http';
import { refuseUpgrade } from '../refuse-upgrade.ts';
import type { UpgradeRequest } from '../session.ts';

const HEADER = 'X-Stream-Protocol-Version';

/**
 * Chooses the first of the client's protocols that is `supported` and answers 101. Answers the protocol, or undefined
 * where the upgrade was refused: 400 where the client names none, 403 where none is known.
 */
export const acceptSpdy = ({ message, socket }: UpgradeRequest, supported: readonly string[]): string | undefined => {
  const offered = protocolsOf(message);
  const protocol = offered.find((name) => supported.includes(name));
  if (protocol !== undefined) {
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n${HEADER}: ${protocol}\r\n\r\n`,
    );
  } else if (offered.length === 0) {
    refuseUpgrade(socket, { status: 400, body: `unable to upgrade: the header ${HEADER} is missing` });
  } else {
    refuseUpgrade(socket, {
      status: 403,
      body: `unable to upgrade: the client speaks [${offered.join(' ')}], the server [${supported.join(' ')}]`,
      headers: supported.map((name) => ['X-Accepted-Stream-Protocol-Versions', name]),
    });
  }
  return protocol;
};

/** They come as several headers or as one with commas. Node joins some headers and drops others: the raw ones have all. */
const protocolsOf = ({ rawHeaders }: IncomingMessage): readonly string[] =>
  rawHeaders
    .filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === HEADER.toLowerCase())
    .flatMap((value) => value.split(','))
    .map((name) => name.trim())
    .filter((name) => name !== '');
