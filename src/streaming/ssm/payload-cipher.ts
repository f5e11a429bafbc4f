import { createCipheriv, createDecipheriv } from 'node:crypto';
import { DATA_KEY_BYTES } from './data-key.ts';

const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * The client's end of an encrypted session: nonce, ciphertext and tag in one, nothing authenticated besides. The first half
 * of the data key is the agent's to encrypt with, the second half ours (`agent/session/crypto` of amazon-ssm-agent).
 */
export class PayloadCipher {
  readonly #agentKey: Uint8Array;
  readonly #clientKey: Uint8Array;
  readonly #nonce: Buffer;

  /** Of `plaintextKey`, 64 bytes, and the 12 bytes the first message gets; any will do for a key that is used once. */
  constructor(plaintextKey: Uint8Array, firstNonce: Uint8Array) {
    this.#agentKey = plaintextKey.slice(0, DATA_KEY_BYTES / 2);
    this.#clientKey = plaintextKey.slice(DATA_KEY_BYTES / 2);
    this.#nonce = Buffer.from(firstNonce);
  }

  /** Never twice with one nonce. */
  seal(plaintext: Uint8Array): Buffer {
    const nonce = Buffer.from(this.#nonce);
    this.#count();
    const cipher = createCipheriv(ALGORITHM, this.#clientKey, nonce);
    return Buffer.concat([nonce, cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]);
  }

  /** Undefined for what the agent has not encrypted with this key. */
  open(sealed: Uint8Array): Buffer | undefined {
    const end = sealed.length - TAG_BYTES;
    if (end < NONCE_BYTES) return undefined;
    const options = { authTagLength: TAG_BYTES };
    const decipher = createDecipheriv(ALGORITHM, this.#agentKey, sealed.subarray(0, NONCE_BYTES), options);
    decipher.setAuthTag(sealed.subarray(end));
    try {
      return Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES, end)), decipher.final()]);
    } catch {
      return undefined;
    }
  }

  /** As the agent counts: a little-endian number. */
  #count(): void {
    for (let at = 0; at < NONCE_BYTES; at += 1) {
      const next = (this.#nonce.readUInt8(at) + 1) & 0xff;
      this.#nonce.writeUInt8(next, at);
      if (next !== 0) return;
    }
  }
}
