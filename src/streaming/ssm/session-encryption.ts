import * as z from 'zod/mini';
import { PermanentError, type SvkError, TransientError } from '../../core/errors.ts';
import { parseJson } from './acknowledgement.ts';
import { PayloadType } from './agent-message.ts';
import { closingWords } from './closing-words.ts';
import type { DataKey } from './data-key.ts';
import { PayloadCipher } from './payload-cipher.ts';

/** What the agent encrypts; sizes, flags and the handshake itself stay as they are. */
const FROM_AGENT: readonly number[] = [PayloadType.output, PayloadType.stdErr, PayloadType.exitCode];

const challenge = z.looseObject({ Challenge: z.string() });

/**
 * The encryption of one session's payloads, which begins when the agent demands it. From then on nothing that should be
 * encrypted is taken or given in the clear. Everything throws an error that names the key.
 */
export class SessionEncryption {
  readonly #firstNonce: () => Uint8Array;
  #keyId: string | undefined;
  #cipher: PayloadCipher | undefined;
  #complete = false;

  /** `firstNonce` gives 12 bytes. */
  constructor(firstNonce: () => Uint8Array) {
    this.#firstNonce = firstNonce;
  }

  /** The agent demands encryption with this key of KMS. @throws {PermanentError} the second time. */
  demand(keyId: string): void {
    if (this.#keyId !== undefined)
      throw new PermanentError(`the agent in the container asks for encryption again (KMS key ${keyId})`);
    this.#keyId = keyId;
  }

  start(key: DataKey): void {
    this.#cipher = new PayloadCipher(key.plaintext, this.#firstNonce());
  }

  /** The handshake is over. */
  complete(): void {
    if (this.#keyId !== undefined && this.#cipher === undefined) throw this.#broken('ended the handshake too early');
    this.#complete = true;
  }

  seal(payloadType: number, payload: Uint8Array): Uint8Array {
    if (this.#keyId === undefined || payloadType !== PayloadType.output) return payload;
    if (this.#cipher === undefined) throw this.#broken('is given input too early');
    return this.#cipher.seal(payload);
  }

  open(payloadType: number, payload: Uint8Array): Uint8Array {
    if (this.#keyId === undefined || !FROM_AGENT.includes(payloadType)) return payload;
    const opened = this.#cipher?.open(payload);
    if (opened === undefined) throw this.#broken('sent something that is not encrypted with it');
    return opened;
  }

  /** The answer to the agent's proof that both ends have one key: its text, encrypted with our half. */
  answerChallenge(payload: Uint8Array): Buffer {
    const sealed = z.safeParse(challenge, parseJson(payload)).data?.Challenge;
    const opened = sealed === undefined ? undefined : this.#cipher?.open(Buffer.from(sealed, 'base64'));
    if (this.#cipher === undefined || opened === undefined)
      throw this.#broken('sent a challenge that is not encrypted with it');
    return Buffer.from(JSON.stringify({ Challenge: this.#cipher.seal(opened).toString('base64') }));
  }

  /** The error in the end of a session that came before its encryption was settled; undefined for any other end. */
  endedBy(output: string): SvkError | undefined {
    if (this.#keyId === undefined || this.#complete) return undefined;
    const words = closingWords(output).replaceAll(/\s+/g, ' ');
    const which = `the exec session is encrypted with the KMS key ${this.#keyId}, and`;
    const reason = words === '' ? '' : ` (${words})`;
    if (this.#cipher === undefined)
      return new TransientError(`${which} it ended before KMS had made a data key for it${reason}`);
    // An agent that may not decrypt says "Fetching data key failed: …"; a service may keep that to itself.
    if (words !== '' && !/data key/i.test(words))
      return new TransientError(`${which} it ended before both ends had the data key${reason}`);
    return new PermanentError(
      `${which} the agent in the container gave up before it had the data key${reason}: allow kms:Decrypt on that key to the task role of the pod, and see that the subnets reach the endpoint of kms`,
    );
  }

  #broken(what: string): SvkError {
    const whose = this.#keyId === undefined ? 'no KMS key was named' : `KMS key ${this.#keyId}`;
    return new TransientError(`the exec session broke off: the agent in the container ${what} (${whose})`);
  }
}
