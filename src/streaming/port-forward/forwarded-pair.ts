import type { CarriedStream } from '../carried-stream.ts';

/** The streams of one forwarded connection. */
export interface ForwardedPair {
  readonly port: number;
  readonly data: CarriedStream;
  readonly error: CarriedStream;
}

/** A TCP port in decimal digits; undefined for anything else. */
export const parsePort = (text: string): number | undefined => {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  return port > 0 && port < 65_536 ? port : undefined;
};
