import { type SSMClient, TerminateSessionCommand } from '@aws-sdk/client-ssm';
import { SignatureV4 } from '@smithy/signature-v4';

/** Session Manager, as far as exec needs it. Each rejects with the SDK's error. */
export interface SessionsApi {
  /** Ends a session and its command. */
  terminateSession(sessionId: string, signal: AbortSignal): Promise<unknown>;
  /** Headers that sign the upgrade request for a stream at `now` (ms); none where its address is signed already. */
  signedHeaders(streamUrl: string, now: number): Promise<Readonly<Record<string, string>>>;
  /** The address with the signature in it, for somebody without credentials; good for a minute. */
  presigned(streamUrl: string, now: number): Promise<string>;
}

const SERVICE = 'ssmmessages';
const PRESIGN_SECONDS = 60;
const SIGNED = /[?&]X-Amz-/i;

/** {@link SessionsApi} over the SDK: with the client's own credentials and region. */
export const createSessionsApi = (client: SSMClient): SessionsApi => {
  const { credentials, region, sha256 } = client.config;
  const signer = new SignatureV4({ credentials, region, sha256, service: SERVICE });
  return {
    terminateSession: (SessionId, signal) =>
      client.send(new TerminateSessionCommand({ SessionId }), { abortSignal: signal }),
    signedHeaders: async (streamUrl, now) => {
      if (SIGNED.test(streamUrl)) return {};
      const { headers } = await signer.sign(upgradeRequest(streamUrl), { signingDate: new Date(now) });
      // The WebSocket client makes the one of these that it must make by itself.
      return Object.fromEntries(Object.entries(headers).filter(([name]) => name.toLowerCase() !== 'host'));
    },
    presigned: async (streamUrl, now) => {
      if (SIGNED.test(streamUrl)) return streamUrl;
      const options = { expiresIn: PRESIGN_SECONDS, signingDate: new Date(now) };
      const { query = {} } = await signer.presign(upgradeRequest(streamUrl), options);
      const url = new URL(streamUrl);
      url.search = new URLSearchParams(
        Object.entries(query).map(([name, value]): [string, string] => [name, [value].flat().join(',')]),
      ).toString();
      return url.href;
    },
  };
};

type SignableRequest = Parameters<SignatureV4['presign']>[0];

const upgradeRequest = (streamUrl: string): SignableRequest => {
  const { protocol, hostname, host, port, pathname, searchParams } = new URL(streamUrl);
  return {
    method: 'GET',
    protocol: protocol === 'wss:' ? 'https:' : 'http:',
    hostname,
    ...(port !== '' && { port: Number(port) }),
    path: pathname,
    query: Object.fromEntries(searchParams),
    headers: { host },
  };
};
