import { isUtf8 } from 'node:buffer';
import type { KubeletRequest } from './http.ts';

/** Reads a query, percent-encoded as it came. What is no UTF-8 becomes U+FFFD, and the query is `garbled`. */
export const readQuery = (raw: string): Pick<KubeletRequest, 'query' | 'garbled'> => {
  const bytes = raw.replace(ESCAPE, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return {
    query: new URLSearchParams(raw),
    ...(!isUtf8(Buffer.from(bytes, 'latin1')) && { garbled: true }),
  };
};

const ESCAPE = /%([0-9a-f]{2})/gi;
