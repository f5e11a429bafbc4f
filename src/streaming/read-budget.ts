import { type CarriedStream, READ_BUFFER_BYTES } from './carried-stream.ts';

/** What all streams of a connection together may hold unread, in streams' worth. */
const FULL_STREAMS = 8;

/** Whether `stream`, one of `count`, holds more unread than its share: then its connection reads no more. */
export const isBehind = (stream: CarriedStream, count: number, bufferBytes = READ_BUFFER_BYTES): boolean =>
  stream.heldBytes >= Math.min(bufferBytes, (FULL_STREAMS * bufferBytes) / count);
