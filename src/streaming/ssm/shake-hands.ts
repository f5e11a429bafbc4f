import { PermanentError, SvkError, TransientError } from '../../core/errors.ts';
import { DATA_KEY_BYTES, type DataKey, type DataKeyRequest, type DataKeySource } from './data-key.ts';
import { answerHandshake, readHandshake } from './handshake.ts';
import type { SessionEncryption } from './session-encryption.ts';

interface Hands {
  readonly encryption: SessionEncryption;
  readonly dataKey: DataKeySource;
  /** Sends the response; at once where no data key is asked for. */
  readonly respond: (answer: Buffer) => void;
  /** Of the session. */
  readonly signal: AbortSignal;
}

/**
 * Answers a HandshakeRequest, and starts the encryption where that is demanded.
 * @throws an error of core/errors where the session cannot be: the agent is told as well.
 */
export const shakeHands = async (
  payload: Uint8Array,
  { encryption, dataKey, respond, signal }: Hands,
): Promise<void> => {
  const handshake = readHandshake(payload);
  if (handshake.unsupported.length > 0 || handshake.dataKey === undefined) {
    respond(answerHandshake(handshake));
    if (handshake.unsupported.length > 0) throw notSupported(handshake.unsupported);
    return;
  }
  encryption.demand(handshake.dataKey.keyId);
  let key: DataKey;
  try {
    key = await ask(dataKey, handshake.dataKey, signal);
  } catch (error) {
    if (!signal.aborted) respond(answerHandshake(handshake));
    throw error;
  }
  if (signal.aborted) return;
  encryption.start(key);
  respond(answerHandshake(handshake, key));
};

const ask = async (dataKey: DataKeySource, request: DataKeyRequest, signal: AbortSignal): Promise<DataKey> => {
  const none = `no data key of the KMS key ${request.keyId} for the exec session`;
  try {
    const key = await dataKey(request, signal);
    if (key.plaintext.length !== DATA_KEY_BYTES) throw new TransientError(none);
    return key;
  } catch (error) {
    throw error instanceof SvkError ? error : new TransientError(none, { cause: error });
  }
};

const notSupported = (actions: readonly string[]): PermanentError =>
  new PermanentError(`the agent in the container asks for ${actions.join(', ')}, which is not supported`);
