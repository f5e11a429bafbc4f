/** The peer broke the rules of SPDY/3.1 or a bound of ours; the connection can't go on. */
export class SpdyError extends Error {
  override readonly name = 'SpdyError';
}
