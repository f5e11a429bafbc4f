import { randomBytes } from 'node:crypto';
import type { Clock } from '../../../../src/core/clock.ts';
import { Bell } from '../ecs/agent/bell.ts';
import type { KeysContext } from '../keys/context.ts';
import { decrypt } from '../keys/data-keys.ts';
import { AwsError } from '../service-error.ts';
import { type AgentMessage, payloadTypes } from './agent-message.ts';
import {
  challengeOf,
  type EncryptionAnswer,
  handshakeCompleteOf,
  handshakeRequestOf,
  parseChallenge,
  parseHandshakeResponse,
} from './handshake-payloads.ts';
import { dataKeyBytes, SessionCipher } from './session-cipher.ts';

interface Options {
  readonly kmsKeyId: string;
  readonly sessionId: string;
  readonly target: string;
  readonly keys: KeysContext;
  readonly clock: Clock;
  readonly send: (payloadType: number, payload: Uint8Array) => void;
}

/** The client and the agent do not come together. The message is the agent's. */
export class HandshakeFailure extends Error {}

/** So long the agent waits for each of the two answers. */
const patienceMs = 15_000;
const challengeBytes = 64;

/**
 * The agent's side of a handshake with encryption (`PerformHandshake` in `agent/session/datachannel`): the client has a data
 * key made and answers with its ciphertext, the agent has that decrypted as the task's role, and has the client prove that
 * it has the same.
 */
export class AgentHandshake {
  readonly #options: Options;
  readonly #bell = new Bell();
  #response: Uint8Array | undefined;
  #proof: Uint8Array | undefined;

  constructor(options: Options) {
    this.#options = options;
  }

  /** An answer of the client; everything else it sends now is lost. */
  take({ payloadType, payload }: AgentMessage): void {
    if (payloadType === payloadTypes.handshakeResponse) this.#response = payload;
    if (payloadType === payloadTypes.challengeResponse) this.#proof = payload;
    this.#bell.ring();
  }

  /** Gives what the session is encrypted with. @throws {HandshakeFailure} */
  async perform(signal: AbortSignal): Promise<SessionCipher> {
    const { kmsKeyId, clock, send } = this.#options;
    const startedAt = clock.now();
    const random = randomBytes(16).toString('base64');
    send(payloadTypes.handshakeRequest, handshakeRequestOf(kmsKeyId, random));
    const response = await this.#answer(() => this.#response, signal);
    if (response === undefined) {
      throw new HandshakeFailure(
        'Handshake timed out. Please ensure that you have the latest version of the session manager plugin.',
      );
    }
    const cipher = new SessionCipher(this.#dataKeyOf(parseHandshakeResponse(response), random));
    const challenge = randomBytes(challengeBytes);
    send(payloadTypes.challengeRequest, challengeOf(cipher.seal(challenge)));
    const proof = await this.#answer(() => this.#proof, signal);
    if (proof === undefined) throw new HandshakeFailure('Timed out waiting for encryption challenge.');
    if (cipher.open(parseChallenge(proof))?.equals(challenge) !== true) {
      throw new HandshakeFailure('Encryption challenge does not match!');
    }
    send(payloadTypes.handshakeComplete, handshakeCompleteOf(clock.now() - startedAt));
    return cipher;
  }

  #dataKeyOf(answer: EncryptionAnswer, random: string): Buffer {
    const { kmsKeyId, sessionId, target, keys } = this.#options;
    if ('failure' in answer) throw new HandshakeFailure(answer.failure);
    const encryptionContext = {
      'aws:ssm:SessionId': sessionId,
      'aws:ssm:TargetId': target,
      ...(answer.isBoundToChallenge && { 'aws:ssm:RandomChallenge': random }),
    };
    try {
      const { plaintext } = decrypt(keys, { blob: answer.blob, encryptionContext, keyId: kmsKeyId });
      if (plaintext.length === dataKeyBytes) return plaintext;
    } catch (error) {
      if (!(error instanceof AwsError)) throw error;
      throw new HandshakeFailure(
        `Fetching data key failed: Unable to retrieve data key, ${error.code}: ${error.message}`,
      );
    }
    throw new HandshakeFailure('Fetching data key failed: the data key has another size');
  }

  /** Undefined where it does not come in time. */
  async #answer(find: () => Uint8Array | undefined, signal: AbortSignal): Promise<Uint8Array | undefined> {
    const { clock } = this.#options;
    const settled = new AbortController();
    const until = AbortSignal.any([signal, settled.signal]);
    let isLate = false;
    void clock.sleep(patienceMs, until).then(
      () => {
        isLate = true;
        this.#bell.ring();
      },
      () => undefined,
    );
    try {
      for (;;) {
        const found = find();
        if (found !== undefined || isLate) return found;
        await this.#bell.next(signal);
      }
    } finally {
      settled.abort();
    }
  }
}
