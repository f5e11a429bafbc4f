import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/** The agent's end of an encrypted session: it encrypts with the first half of the data key, the client with the second. */
export class AgentCipher {
  readonly #own: Uint8Array;
  readonly #clients: Uint8Array;

  constructor(dataKey: Uint8Array) {
    this.#own = dataKey.subarray(0, 32);
    this.#clients = dataKey.subarray(32);
  }

  seal(plaintext: Uint8Array | string): Buffer {
    const nonce = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', this.#own, nonce);
    return Buffer.concat([nonce, cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]);
  }

  /** @throws where the client has not encrypted it with this key. */
  open(sealed: Uint8Array): Buffer {
    const decipher = createDecipheriv('aes-256-gcm', this.#clients, sealed.subarray(0, 12));
    decipher.setAuthTag(sealed.subarray(-16));
    return Buffer.concat([decipher.update(sealed.subarray(12, -16)), decipher.final()]);
  }
}
