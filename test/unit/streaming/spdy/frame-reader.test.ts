import { describe, expect, it } from 'vitest';
import { SPDY_DICTIONARY } from '../../../../src/streaming/spdy/dictionary.ts';
import { type Frame, FrameReader } from '../../../../src/streaming/spdy/frame-reader.ts';
import { KUBECTL_EXEC } from './recordings.ts';
import { control, data } from './spdy-client.ts';

const inPieces = (bytes: Buffer, size: number): readonly Frame[] => {
  const reader = new FrameReader();
  const frames: Frame[] = [];
  for (let at = 0; at < bytes.length; at += size) frames.push(...reader.read(bytes.subarray(at, at + size)));
  return frames;
};

/** Data pieces of one frame put together again. */
const summary = (frames: readonly Frame[]): readonly string[] => {
  const lines: string[] = [];
  let open = '';
  for (const frame of frames) {
    if (frame.kind === 'control') lines.push(`control ${frame.type} ${frame.flags} ${frame.body.toString('hex')}`);
    else {
      open += frame.data.toString('hex');
      if (frame.fin || frame.data.length > 0) {
        const last = lines.at(-1);
        const prefix = `data ${frame.streamId}`;
        if (last?.startsWith(prefix) && !last.endsWith('fin')) lines.pop();
        lines.push(`${prefix} ${open}${frame.fin ? ' fin' : ''}`);
      }
      if (frame.fin) open = '';
    }
  }
  return lines;
};

describe('the SPDY dictionary', () => {
  it('is the one of the specification', () => {
    let [a, b] = [1, 0];
    for (const byte of SPDY_DICTIONARY) {
      a = (a + byte) % 65_521;
      b = (b + a) % 65_521;
    }
    expect(SPDY_DICTIONARY).toHaveLength(1_423);
    expect((b * 65_536 + a).toString(16)).toBe('e3c6a7c2');
  });
});

describe('the frame reader', () => {
  it.each([1, 2, 3, 7, 8, 9, 64, 1_000])('reads what kubectl sent in pieces of %d bytes', (size) => {
    const lines = summary(inPieces(KUBECTL_EXEC, size));
    expect(lines).toHaveLength(10);
    expect(lines[4]).toBe('data 3 68656c6c6f0a fin');
    expect(lines.slice(5)).toEqual([
      'control 3 0 0000000100000005',
      'control 3 0 0000000300000005',
      'control 3 0 0000000500000005',
      'control 3 0 0000000700000005',
      'control 7 0 0000000000000000',
    ]);
  });

  it('hands data on in the pieces it comes in', () => {
    const reader = new FrameReader();
    const frame = data(5, 'abcdef', true);
    expect([...reader.read(frame.subarray(0, 11))]).toEqual([
      { kind: 'data', streamId: 5, data: Buffer.from('abc'), fin: false },
    ]);
    expect([...reader.read(frame.subarray(11))]).toEqual([
      { kind: 'data', streamId: 5, data: Buffer.from('def'), fin: true },
    ]);
  });

  it('refuses a control frame longer than any of this protocol, by its head alone', () => {
    const head = Buffer.from('8003000100010001', 'hex');
    expect(() => [...new FrameReader().read(head)]).toThrow('a control frame of 65537 bytes: at most 65536');
  });

  it('refuses another version', () => {
    expect(() => [...new FrameReader().read(control(1, Buffer.alloc(0), 0, 2))]).toThrow(
      'a control frame of version 2: only 3 is spoken here',
    );
  });

  it('answers the frames before a fault', () => {
    const frames: Frame[] = [];
    const read = (): void => {
      for (const frame of new FrameReader().read(Buffer.concat([data(1, 'x'), control(1, Buffer.alloc(0), 0, 2)])))
        frames.push(frame);
    };
    expect(read).toThrow('version 2');
    expect(frames).toHaveLength(1);
  });
});
