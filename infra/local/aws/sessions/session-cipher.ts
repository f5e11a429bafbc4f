import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const algorithm = 'aes-256-gcm';
const keyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;

/** Size of the data key of a session. */
export const dataKeyBytes = 2 * keyBytes;

/**
 * The agent's end of an encrypted session (`agent/session/crypto` of aws/amazon-ssm-agent): its own messages under the
 * first half of the data key, the client's under the second; the nonce in front, the tag behind. The agent counts its nonces.
 */
export class SessionCipher {
  readonly #agentKey: Buffer;
  readonly #clientKey: Buffer;
  readonly #firstNonce = randomBytes(nonceBytes);
  #sealed = 0n;

  constructor(dataKey: Buffer) {
    this.#agentKey = dataKey.subarray(0, keyBytes);
    this.#clientKey = dataKey.subarray(keyBytes, dataKeyBytes);
  }

  seal(text: Uint8Array): Buffer {
    const nonce = this.#nextNonce();
    const cipher = createCipheriv(algorithm, this.#agentKey, nonce);
    return Buffer.concat([nonce, cipher.update(text), cipher.final(), cipher.getAuthTag()]);
  }

  /** Undefined for what the client has not encrypted with this key. */
  open(sealed: Uint8Array): Buffer | undefined {
    if (sealed.length < nonceBytes + tagBytes) return undefined;
    const decipher = createDecipheriv(algorithm, this.#clientKey, sealed.subarray(0, nonceBytes));
    decipher.setAuthTag(sealed.subarray(-tagBytes));
    try {
      return Buffer.concat([decipher.update(sealed.subarray(nonceBytes, -tagBytes)), decipher.final()]);
    } catch {
      return undefined;
    }
  }

  #nextNonce(): Buffer {
    const low = this.#firstNonce.readBigUInt64LE(0) + this.#sealed;
    this.#sealed += 1n;
    const nonce = Buffer.from(this.#firstNonce);
    nonce.writeBigUInt64LE(BigInt.asUintN(64, low), 0);
    return nonce;
  }
}
