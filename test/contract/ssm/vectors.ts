import { readFileSync } from 'node:fs';
import * as z from 'zod';

const fields = z.object({
  headerLength: z.number(),
  messageType: z.string(),
  schemaVersion: z.number(),
  createdDate: z.number(),
  sequenceNumber: z.number(),
  flags: z.number(),
  messageId: z.string(),
  payloadDigest: z.string(),
  payloadType: z.number(),
  payloadLength: z.number(),
  payloadHex: z.string(),
});

const schema = z.object({
  vectors: z.array(
    z.discriminatedUnion('kind', [
      z.looseObject({ kind: z.literal('text'), name: z.string(), from: z.string(), text: z.string() }),
      z.looseObject({
        kind: z.literal('binary'),
        name: z.string(),
        from: z.string(),
        hex: z.string(),
        fields,
        plaintext: z.string().optional(),
        plaintextHex: z.string().optional(),
      }),
    ]),
  ),
  kms: z.looseObject({
    keyId: z.string(),
    encryptionContext: z.record(z.string(), z.string()),
    ciphertextBlobBase64: z.string(),
    plaintextDataKeyHex: z.string(),
  }),
  sessions: z.array(
    z.looseObject({
      name: z.string(),
      frames: z.array(z.looseObject({ from: z.string(), text: z.string().optional(), hex: z.string().optional() })),
    }),
  ),
});

/** Messages recorded between the official client and the official agent; `about` in the file says how. */
export const recordings = schema.parse(JSON.parse(readFileSync(new URL('vectors.json', import.meta.url), 'utf8')));

export const binaryVectors = recordings.vectors.flatMap((vector) => (vector.kind === 'binary' ? [vector] : []));

/** The recorded message of this name, as bytes. */
export const recorded = (name: string): Buffer => Buffer.from(vectorOf(name).hex, 'hex');

/** A recorded text that was encrypted: nonce, ciphertext and tag in one, and what is in it. */
export const recordedSecret = (name: string): { readonly sealed: Buffer; readonly plaintext: Buffer } => {
  const { fields, plaintext = '', plaintextHex } = vectorOf(name);
  const payload = Buffer.from(fields.payloadHex, 'hex');
  return {
    // Challenges travel as JSON.
    sealed: fields.payloadType === 1 ? payload : Buffer.from(challengeOf(payload), 'base64'),
    plaintext: plaintextHex === undefined ? Buffer.from(plaintext) : Buffer.from(plaintextHex, 'hex'),
  };
};

const challengeOf = (payload: Buffer): string =>
  z.object({ Challenge: z.string() }).parse(JSON.parse(payload.toString())).Challenge;

const vectorOf = (name: string): (typeof binaryVectors)[number] => {
  const found = binaryVectors.find((vector) => vector.name === name);
  if (!found) throw new Error(`no recorded message ${name}`);
  return found;
};
