import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import * as z from 'zod/mini';
import { parseInput } from '../parse-input.ts';
import { AwsError } from '../service-error.ts';
import { checkAllowed, type KeysContext, usableKey } from './context.ts';
import type { Key } from './key-store.ts';

/** What a ciphertext was made with must be named again to open it. */
export type EncryptionContext = Readonly<Record<string, string>>;

const algorithm = 'aes-256-gcm';
const idBytes = 36;
const nonceBytes = 12;
const tagBytes = 16;
const specBytes = { AES_128: 16, AES_256: 32 } as const;

const encryptionContext = z._default(z.record(z.string(), z.string()), {});

const generateSchema = z.object({
  KeyId: z.optional(z.string()),
  NumberOfBytes: z.optional(z.int()),
  KeySpec: z.optional(z.enum(['AES_128', 'AES_256'])),
  EncryptionContext: encryptionContext,
});

/** GenerateDataKey: by KeySpec or NumberOfBytes, one of the two. */
export const generateDataKey = (context: KeysContext, input: unknown): unknown => {
  const request = parseInput(generateSchema, input);
  checkAllowed(context, 'GenerateDataKey');
  const key = usableKey(context, request.KeyId);
  if ((request.KeySpec === undefined) === (request.NumberOfBytes === undefined)) {
    throw new AwsError('ValidationException', 'Please specify either number of bytes or key spec.');
  }
  const length = request.KeySpec === undefined ? (request.NumberOfBytes ?? 0) : specBytes[request.KeySpec];
  if (length < 1 || length > 1024) {
    throw new AwsError('ValidationException', `Value '${length}' at 'numberOfBytes' must be from 1 to 1024`);
  }
  const plaintext = randomBytes(length);
  return {
    KeyId: key.arn,
    Plaintext: plaintext.toString('base64'),
    CiphertextBlob: sealed(key, plaintext, request.EncryptionContext).toString('base64'),
  };
};

const decryptSchema = z.object({
  KeyId: z.optional(z.string()),
  CiphertextBlob: z.optional(z.string()),
  EncryptionContext: encryptionContext,
});

/** Decrypt: the blob tells which key it needs. */
export const decryptBlob = (context: KeysContext, input: unknown): unknown => {
  const { KeyId, CiphertextBlob = '', EncryptionContext } = parseInput(decryptSchema, input);
  const { key, plaintext } = decrypt(context, {
    blob: Buffer.from(CiphertextBlob, 'base64'),
    encryptionContext: EncryptionContext,
    keyId: KeyId,
  });
  return { KeyId: key.arn, Plaintext: plaintext.toString('base64'), EncryptionAlgorithm: 'SYMMETRIC_DEFAULT' };
};

interface Sealed {
  readonly blob: Buffer;
  readonly encryptionContext: EncryptionContext;
  readonly keyId: string | undefined;
}

/** @throws {AwsError} as Decrypt does. */
export const decrypt = (
  context: KeysContext,
  { blob, encryptionContext, keyId }: Sealed,
): { readonly key: Key; readonly plaintext: Buffer } => {
  checkAllowed(context, 'Decrypt');
  if (blob.length < idBytes + nonceBytes + tagBytes) throw unreadable();
  const found = context.store.find(blob.toString('latin1', 0, idBytes));
  if (!found) throw unreadable();
  const key = usableKey(context, found.id);
  if (keyId !== undefined && usableKey(context, keyId).id !== key.id) {
    throw new AwsError(
      'IncorrectKeyException',
      'The key ID in the request does not identify a CMK that can perform this operation.',
    );
  }
  const decipher = createDecipheriv(algorithm, key.material, blob.subarray(idBytes, idBytes + nonceBytes));
  decipher.setAAD(boundTo(encryptionContext)).setAuthTag(blob.subarray(-tagBytes));
  try {
    const text = blob.subarray(idBytes + nonceBytes, -tagBytes);
    return { key, plaintext: Buffer.concat([decipher.update(text), decipher.final()]) };
  } catch {
    throw unreadable();
  }
};

const sealed = (key: Key, plaintext: Buffer, encryptionContext: EncryptionContext): Buffer => {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv(algorithm, key.material, nonce).setAAD(boundTo(encryptionContext));
  return Buffer.concat([Buffer.from(key.id), nonce, cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]);
};

/** The order of the members does not matter. */
const boundTo = (encryptionContext: EncryptionContext): Buffer =>
  Buffer.from(JSON.stringify(Object.entries(encryptionContext).sort(([one], [other]) => (one < other ? -1 : 1))));

const unreadable = (): AwsError => new AwsError('InvalidCiphertextException', '');
