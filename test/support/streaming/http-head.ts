import type { Duplex } from 'node:stream';

export interface HttpHead {
  readonly status: number;
  /** The header lines, as they came. */
  readonly lines: readonly string[];
  /** What came after the head so far. */
  readonly rest: Buffer;
}

/** Reads the head of an HTTP answer; the socket is paused afterwards. */
export const readHead = async (socket: Duplex): Promise<HttpHead> => {
  let bytes = Buffer.alloc(0);
  return new Promise((resolve, reject) => {
    const onData = (chunk: Buffer): void => {
      bytes = Buffer.concat([bytes, chunk]);
      const end = bytes.indexOf('\r\n\r\n');
      if (end < 0) return;
      socket.off('data', onData);
      socket.off('error', reject);
      socket.pause();
      const [first = '', ...lines] = bytes.toString('latin1', 0, end).split('\r\n');
      resolve({ status: Number(first.split(' ')[1]), lines, rest: bytes.subarray(end + 4) });
    };
    socket.on('data', onData);
    socket.on('error', reject);
    socket.once('close', () => reject(new Error('closed before an answer')));
  });
};
