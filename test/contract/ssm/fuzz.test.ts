import { expect, it } from 'vitest';
import { encodeAgentMessage } from '../../../src/streaming/ssm/agent-message.ts';
import { DataChannel } from '../../../src/streaming/ssm/data-channel.ts';
import type { FrameReceiver } from '../../../src/streaming/ssm/frame-link.ts';
import { AgentCipher } from '../../fakes/aws/agent-cipher.ts';
import { FakeClock, SeededRandom } from '../../fakes/clock.ts';
import { binaryVectors, recorded, recordings } from './vectors.ts';

const FRAMES = 30_000;
const ENCRYPTED_FRAMES = 10_000;
const plaintext = Buffer.from(recordings.kms.plaintextDataKeyHex, 'hex');

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

/** A channel on a link that goes nowhere. */
const aChannel = (
  random: SeededRandom,
  onOutput: (payloadType: number, payload: Uint8Array) => void = () => undefined,
) => {
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
    dataKey: async () => ({ plaintext, ciphertext: Buffer.from('ciphertext') }),
    onOutput,
  });
  return { channel, isClosed: () => closed, take: (frame: Buffer) => receiver?.frame(frame) };
};

it(`takes ${FRAMES} mutated frames without a crash, and keeps no more than it must`, () => {
  const random = new SeededRandom(20_301);
  const before = process.memoryUsage().heapUsed;
  let ended = 0;
  for (let frames = 0; frames < FRAMES; ) {
    const { channel, isClosed, take } = aChannel(random);
    for (; !isClosed() && frames < FRAMES; frames += 1) take(mutated(random));
    if (isClosed()) ended += 1;
    channel.close();
  }
  // Some of them say that the channel is closed; most do not.
  expect(ended).toBeGreaterThan(10);
  expect(ended).toBeLessThan(FRAMES / 5);
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(200 * 1024 * 1024);
});

const TYPES = [1, 1, 1, 3, 5, 7, 8, 9, 10, 11, 12, 99];

it(`takes ${ENCRYPTED_FRAMES} frames of an encrypted session, and hands on nothing that was not encrypted`, async () => {
  const random = new SeededRandom(20_302);
  const pick = (below: number): number => Math.floor(random.next() * below);
  const cipher = new AgentCipher(plaintext);
  let [handedOn, ended] = [0, 0];
  for (let frames = 0; frames < ENCRYPTED_FRAMES; ) {
    // The recorded prompt was encrypted with the same key.
    const given = new Set(['# ']);
    const { channel, isClosed, take } = aChannel(random, (payloadType, payload) => {
      if (![1, 11, 12].includes(payloadType)) return;
      handedOn += 1;
      const text = Buffer.from(payload).toString();
      if (!given.has(text)) throw new Error('something was handed on that was not encrypted');
    });
    take(recorded('handshake-request-kms'));
    // Some begin before there is a key.
    if (pick(8) > 0) await new Promise((resolve) => setImmediate(resolve));
    for (let sequenceNumber = 1; !isClosed() && frames < ENCRYPTED_FRAMES; frames += 1) {
      if (pick(3) === 0) {
        take(mutated(random));
        continue;
      }
      const text = `output ${frames}`;
      given.add(text);
      const payloadType = TYPES[pick(TYPES.length)] ?? 1;
      const sealed = cipher.seal(text);
      const odd = pick(25);
      if (odd === 0) sealed.writeUInt8(sealed.readUInt8(20) ^ 1, 20);
      const payload =
        odd === 1 ? sealed.subarray(0, pick(sealed.length)) : odd === 2 ? Buffer.from(`clear ${frames}`) : sealed;
      take(
        encodeAgentMessage({
          type: 'output_stream_data',
          schemaVersion: 1,
          createdAt: 1,
          sequenceNumber,
          flags: 0,
          id: random.uuid(),
          payloadType,
          payload: payloadType === 8 ? Buffer.from(JSON.stringify({ Challenge: payload.toString('base64') })) : payload,
        }),
      );
      sequenceNumber += 1;
    }
    if (isClosed()) ended += 1;
    channel.close();
  }
  expect(handedOn).toBeGreaterThan(500);
  expect(ended).toBeGreaterThan(50);
});
