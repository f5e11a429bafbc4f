export const bytesOf = (value: unknown): Uint8Array => Buffer.from(JSON.stringify(value));

export const textOf = (payload: Uint8Array): string => Buffer.from(payload).toString('utf8');

/** Undefined for what is no JSON. */
export const parsedJson = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
};
