import { describe, expect, it } from 'vitest';
import { FaultBoard } from '../../../../infra/local/aws/faults/fault-board.ts';
import { type AgentMessage, fromFrame, toFrame } from '../../../../infra/local/aws/sessions/agent-message.ts';
import { DataChannel } from '../../../../infra/local/aws/sessions/data-channel.ts';
import { Timers } from '../../../../infra/local/aws/timers.ts';
import { FakeClock, SeededRandom } from '../../../fakes/clock.ts';

interface Bench {
  readonly channel: DataChannel;
  readonly clock: FakeClock;
  readonly sent: Buffer[];
  readonly taken: AgentMessage[];
  readonly over: AbortController;
}

const start = (): Bench => {
  const clock = new FakeClock();
  const sent: Buffer[] = [];
  const taken: AgentMessage[] = [];
  const over = new AbortController();
  const channel = new DataChannel({
    sessionId: 'session',
    target: 'ecs:a_b_c',
    clock,
    random: new SeededRandom(3),
    faults: new FaultBoard(() => clock.now()),
    timers: new Timers(clock),
    onInput: (message) => taken.push(message) > 0,
  });
  channel.connect({
    bufferedAmount: 0,
    send: (frame) => void sent.push(Buffer.from(frame)),
    close: () => {},
    terminate: () => {},
  });
  channel.resend(over.signal).catch(() => undefined);
  return { channel, clock, sent, taken, over };
};

const input = (sequenceNumber: number, changes: Partial<AgentMessage> = {}): Buffer =>
  toFrame({
    type: 'input_stream_data',
    createdAt: 1,
    sequenceNumber,
    flags: 0,
    id: '18788e8a-0df8-4bd9-8754-a2c43fa2fed8',
    payloadType: 1,
    payload: Buffer.from(`<${sequenceNumber}>`),
    ...changes,
  });

const acknowledgement = (sequenceNumber: number): Buffer => {
  const text = {
    AcknowledgedMessageType: 'output_stream_data',
    AcknowledgedMessageId: '18788e8a-0df8-4bd9-8754-a2c43fa2fed8',
    AcknowledgedMessageSequenceNumber: sequenceNumber,
    IsSequentialMessage: true,
  };
  return input(0, { type: 'acknowledge', payload: Buffer.from(JSON.stringify(text)) });
};

const outputs = (sent: readonly Buffer[]): readonly number[] =>
  sent.flatMap((frame) => {
    const message = fromFrame(frame);
    return message?.type === 'output_stream_data' ? [message.sequenceNumber] : [];
  });

describe('the agent’s end of a data channel', () => {
  it('sends again whatever is late, not only the oldest', async () => {
    const { channel, clock, sent } = start();
    for (const text of ['a', 'b', 'c']) channel.send(1, Buffer.from(text));
    channel.received(acknowledgement(0));
    await clock.advance(2000);
    const late = outputs(sent).slice(3);
    expect(late.filter((number) => number === 1).length).toBeGreaterThan(1);
    expect(late.filter((number) => number === 2).length).toBeGreaterThan(1);
    expect(late).not.toContain(0);
  });

  it('sends the same bytes again, ever more seldom', async () => {
    const { channel, clock, sent } = start();
    channel.send(1, Buffer.from('a'));
    await clock.advance(60_000);
    expect(new Set(sent.map((frame) => frame.toString('hex'))).size).toBe(1);
    expect(sent.length).toBeGreaterThan(20);
    expect(sent.length).toBeLessThan(60);
  });

  it('lets no more than 512 messages be on their way', async () => {
    const { channel, clock, over } = start();
    for (let count = 0; count < 512; count += 1) channel.send(1, Buffer.from('x'));
    let hasRoom = false;
    const room = channel.ready(over.signal).then(() => {
      hasRoom = true;
    });
    await clock.advance(50);
    expect(hasRoom).toBe(false);
    channel.received(acknowledgement(17));
    await room;
    expect(hasRoom).toBe(true);
  });

  it('is not held up for ever by messages whose acknowledgement never comes', async () => {
    const { channel, clock, over } = start();
    for (let count = 0; count < 512; count += 1) channel.send(1, Buffer.from('x'));
    const room = channel.ready(over.signal);
    await clock.advance(30_000);
    await room;
  });

  it('waits for acknowledgements at the end, four seconds after the last one', async () => {
    const { channel, clock, over } = start();
    channel.send(1, Buffer.from('a'));
    channel.send(1, Buffer.from('b'));
    let settled = false;
    void channel.settled(over.signal).then(() => {
      settled = true;
    });
    await clock.advance(3000);
    channel.received(acknowledgement(0));
    await clock.advance(3000);
    expect(settled).toBe(false);
    await clock.advance(1500);
    expect(settled).toBe(true);
  });

  it('takes no harm from frames of any kind', async () => {
    const { channel, clock, sent, taken } = start();
    const random = new SeededRandom(11);
    const pick = (below: number): number => Math.floor(random.next() * below);
    for (let round = 0; round < 10_000; round += 1) {
      const frame = pick(2) === 0 ? input(pick(50), { payloadType: pick(14) }) : acknowledgement(pick(50));
      for (let change = pick(4); change > 0; change -= 1) frame[pick(frame.length)] = pick(256);
      channel.received(pick(5) === 0 ? frame.subarray(0, pick(frame.length)) : frame);
    }
    await clock.advance(1000);
    channel.send(1, Buffer.from('still here'));
    expect(outputs(sent)).toContain(0);
    const numbers = taken.map(({ sequenceNumber }) => sequenceNumber);
    expect(numbers).toEqual(numbers.map((_, index) => index));
  });
});
