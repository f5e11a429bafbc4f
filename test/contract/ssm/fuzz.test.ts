import { expect, it } from 'vitest';
import { DataChannel } from '../../../src/streaming/ssm/data-channel.ts';
import type { FrameReceiver } from '../../../src/streaming/ssm/frame-link.ts';
import { FakeClock, SeededRandom } from '../../fakes/clock.ts';
import { binaryVectors } from './vectors.ts';

const FRAMES = 30_000;

/** A recorded frame with bytes changed, cut off, doubled, or its numbers made odd. */
const mutated = (random: SeededRandom): Buffer => {
  const pick = (below: number): number => Math.floor(random.next() * below);
  const { hex } = binaryVectors[pick(binaryVectors.length)] ?? { hex: '' };
  const frame = Buffer.from(hex, 'hex');
  switch (pick(6)) {
    case 0:
      return frame.subarray(0, pick(frame.length));
    case 1:
      return Buffer.concat([frame, frame.subarray(pick(frame.length))]);
    case 2:
      // A number far ahead, with everything else right.
      frame.writeUInt32BE(pick(20_000), 52);
      return frame;
    case 3:
      frame.fill(0xff, pick(frame.length));
      return frame;
    case 4:
      return frame;
    default:
      for (let n = 0; n <= pick(8); n += 1) frame.writeUInt8(pick(256), pick(frame.length));
      return frame;
  }
};

it(`takes ${FRAMES} mutated frames without a crash, and keeps no more than it must`, () => {
  const random = new SeededRandom(20_301);
  const before = process.memoryUsage().heapUsed;
  let ended = 0;
  for (let frames = 0; frames < FRAMES; ) {
    let receiver: FrameReceiver | undefined;
    let closed = false;
    const channel = new DataChannel({
      link: {
        receive: (given) => {
          receiver = given;
        },
        send: () => undefined,
        ping: () => undefined,
        pause: () => undefined,
        resume: () => undefined,
        close: () => {
          closed = true;
        },
      },
      tokenValue: 'token',
      clock: new FakeClock(),
      random,
      onOutput: () => undefined,
    });
    for (; !closed && frames < FRAMES; frames += 1) receiver?.frame(mutated(random));
    if (closed) ended += 1;
    channel.close();
  }
  // Some of them say that the channel is closed; most do not.
  expect(ended).toBeGreaterThan(10);
  expect(ended).toBeLessThan(FRAMES / 5);
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(200 * 1024 * 1024);
});
