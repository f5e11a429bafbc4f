import { isUtf8 } from 'node:buffer';
import type { KubeletRequest } from './http.ts';

/**
 * Reads a query as it came. A character beyond U+007F stands for one byte, as Node hands requests over: clients that do not
 * escape what they send are understood as Go's servers do. What is no UTF-8 becomes U+FFFD, and the query is `garbled`.
 */
export const readQuery = (raw: string): Pick<KubeletRequest, 'query' | 'garbled'> => {
  const escaped = raw.replace(BEYOND_ASCII, (byte) => `%${byte.charCodeAt(0).toString(16)}`);
  const bytes = escaped.replace(ESCAPE, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return {
    query: new URLSearchParams(escaped),
    ...(!isUtf8(Buffer.from(bytes, 'latin1')) && { garbled: true }),
  };
};

const BEYOND_ASCII = /[\u0080-\u00ff]/g;
const ESCAPE = /%([0-9a-f]{2})/gi;
