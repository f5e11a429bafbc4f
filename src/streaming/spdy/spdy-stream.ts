import { CarriedStream, type StreamCarrier } from '../carried-stream.ts';
import type { StreamHeaders } from './header-inflater.ts';

/** A stream of a SPDY connection. Destroyed before both halves have ended, it is reset (CANCEL). */
export class SpdyStream extends CarriedStream {
  readonly headers: StreamHeaders;

  constructor(carrier: StreamCarrier, id: number, headers: StreamHeaders) {
    super(carrier, id);
    this.headers = headers;
  }
}
