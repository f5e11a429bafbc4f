import { createHash } from 'node:crypto';

/** Bytes that are hardly compressible and always the same. */
export const randomlyFilled = (length: number, seed: number): Buffer => {
  const bytes = Buffer.alloc(length);
  for (let at = 0, state = seed; at < length; at += 1) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    bytes[at] = state >>> 16;
  }
  return bytes;
};

export const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
