/** Types of control frames we name; the rest is ignored. */
export const FRAME_TYPES = {
  synStream: 1,
  synReply: 2,
  rstStream: 3,
  ping: 6,
  goAway: 7,
  headers: 8,
} as const;

/** Reasons of RST_STREAM. */
export const RESET = { protocolError: 1, refusedStream: 3, cancel: 5 } as const;

export const FLAG_FIN = 1;

/** The most we put into a data frame: Go's client takes whole frames into memory, and a long one delays other streams. */
const MAX_DATA_BYTES = 65_536;

/** A control frame of SPDY/3: eight bytes of head, then `parts`. */
export const controlFrame = (type: number, flags: number, ...parts: readonly Uint8Array[]): Buffer => {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  return Buffer.concat([head(0x80030000 + type, flags, length), ...parts]);
};

/** Heads and payloads of the data frames that carry `data`, in order. Empty data is one empty frame. */
export function* dataFrames(streamId: number, data: Uint8Array, flags = 0): Generator<Uint8Array, void, undefined> {
  let at = 0;
  do {
    const part = data.subarray(at, at + MAX_DATA_BYTES);
    at += part.length;
    yield head(streamId, at < data.length ? 0 : flags, part.length);
    if (part.length > 0) yield part;
  } while (at < data.length);
}

/** RST_STREAM. */
export const resetFrame = (streamId: number, reason: number): Buffer =>
  controlFrame(FRAME_TYPES.rstStream, 0, uint32(streamId), uint32(reason));

/** PING. The server's ids are even. */
export const pingFrame = (id: number): Buffer => controlFrame(FRAME_TYPES.ping, 0, uint32(id));

/** GOAWAY with status OK. */
export const goAwayFrame = (lastGoodStreamId: number): Buffer =>
  controlFrame(FRAME_TYPES.goAway, 0, uint32(lastGoodStreamId), uint32(0));

export const uint32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};

const head = (first: number, flags: number, length: number): Buffer => {
  const bytes = Buffer.alloc(8);
  bytes.writeUInt32BE(first, 0);
  bytes.writeUInt32BE(flags * 0x1000000 + length, 4);
  return bytes;
};
