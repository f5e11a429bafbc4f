import { describe, expect, it } from 'vitest';
import { DataChannel } from '../../../../src/streaming/ssm/data-channel.ts';
import { type Disturbance, LossyLink } from '../../../fakes/aws/lossy-link.ts';
import { ScriptAgent } from '../../../fakes/aws/script-agent.ts';
import { FakeClock, SeededRandom } from '../../../fakes/clock.ts';

const OUTPUT = 1;
const SIZE = 3;
const HANDSHAKE_REQUEST = 5;
const HANDSHAKE_COMPLETE = 7;
const REQUEST = JSON.stringify({
  AgentVersion: '3.3.0.0',
  RequestedClientActions: [{ ActionType: 'SessionType', ActionParameters: { SessionType: 'InteractiveCommands' } }],
});

const aChannel = (disturbance?: Disturbance, seed = 1) => {
  const clock = new FakeClock();
  const random = new SeededRandom(seed);
  const link = new LossyLink(clock, random, disturbance);
  const agent = new ScriptAgent(link, clock);
  const received: Buffer[] = [];
  const channel = new DataChannel({
    link,
    tokenValue: 'secret-token',
    clock,
    random,
    dataKey: () => Promise.reject(new Error('no encryption here')),
    onOutput: (_type, payload) => received.push(Buffer.from(payload)),
  });
  return { clock, link, agent, channel, received, output: () => Buffer.concat(received) };
};

const someBytes = (length: number, seed: number): Buffer => {
  const random = new SeededRandom(seed);
  return Buffer.from(Array.from({ length }, () => Math.floor(random.next() * 256)));
};

const acknowledgedNumbers = (agent: ScriptAgent): readonly unknown[] =>
  agent.frames.flatMap(({ type, payload }) => {
    if (type !== 'acknowledge') return [];
    const content: unknown = JSON.parse(Buffer.from(payload).toString());
    return [(content as Record<string, unknown>)['AcknowledgedMessageSequenceNumber']];
  });

describe('the data channel', () => {
  it('opens with its token, in a text frame', () => {
    const { agent } = aChannel();
    expect(agent.texts.map((text): unknown => JSON.parse(text))).toEqual([
      expect.objectContaining({ MessageSchemaVersion: '1.0', TokenValue: 'secret-token', ClientVersion: '1.2.764.0' }),
    ]);
  });

  it.each([
    { want: 'a perfect line', disturbance: { lost: 0, doubled: 0, longestDelayMs: 0 } },
    { want: '20 % loss', disturbance: { lost: 0.2, doubled: 0, longestDelayMs: 0 } },
    { want: 'doubled and reordered frames', disturbance: { lost: 0, doubled: 0.3, longestDelayMs: 80 } },
    { want: 'all of it at once', disturbance: { lost: 0.2, doubled: 0.2, longestDelayMs: 120 } },
  ])('carries both directions byte for byte over $want', async ({ disturbance }) => {
    for (const seed of [1, 2, 3]) {
      const { clock, agent, channel, output } = aChannel(disturbance, seed);
      const [down, up] = [someBytes(60_000, seed), someBytes(60_000, seed + 100)];
      agent.output(down);
      for (let at = 0; at < up.length; at += 1000) void channel.send(OUTPUT, up.subarray(at, at + 1000));
      for (let second = 0; second < 600 && (agent.unacknowledged > 0 || agent.typed().length < up.length); second += 1)
        await clock.advance(1000);
      expect(output().equals(down)).toBe(true);
      expect(agent.typed().equals(up)).toBe(true);
      await channel.delivered();
      channel.close();
    }
  });

  it('acknowledges a repeated message again', async () => {
    const { clock, agent, output } = aChannel();
    agent.send(OUTPUT, 'once');
    agent.repeat(0, 'once');
    agent.repeat(0, 'once');
    await clock.advance(10);
    expect(output().toString()).toBe('once');
    expect(acknowledgedNumbers(agent)).toEqual([0, 0, 0]);
  });

  it('sends a message again until it is acknowledged: the same bytes, less and less often', async () => {
    const { clock, agent, channel } = aChannel();
    agent.send(OUTPUT, 'ready');
    await clock.advance(10);
    agent.accepting = false;
    void channel.send(OUTPUT, Buffer.from('x'));
    await clock.advance(3000);
    const sent = agent.frames.filter(({ type }) => type === 'input_stream_data');
    expect(sent.length).toBeGreaterThan(2);
    expect(sent.length).toBeLessThan(7);
    expect(new Set(sent.map(({ id, createdAt }) => `${id} ${createdAt}`)).size).toBe(1);
    agent.accepting = true;
    await clock.advance(5000);
    await channel.delivered();
    expect(agent.typed().toString()).toBe('x');
  });

  it('has no more than 256 messages under way', async () => {
    const { clock, agent, channel } = aChannel();
    agent.send(OUTPUT, 'ready');
    await clock.advance(10);
    agent.accepting = false;
    for (let n = 0; n < 400; n += 1) void channel.send(OUTPUT, Buffer.from('x'));
    await clock.advance(10);
    expect(agent.frames.filter(({ type }) => type === 'input_stream_data')).toHaveLength(256);
    channel.close();
  });

  it('makes its sender wait while much waits', async () => {
    const { clock, agent, channel } = aChannel();
    let done = 0;
    const write = async (): Promise<void> => {
      for (let n = 0; n < 100; n += 1) {
        await channel.send(OUTPUT, Buffer.alloc(1024));
        done += 1;
      }
    };
    const writing = write();
    await clock.advance(100);
    expect(done).toBe(64);
    agent.send(OUTPUT, 'ready');
    await clock.advance(100);
    await writing;
    await clock.advance(100);
    expect(agent.typed()).toHaveLength(102_400);
  });
});

describe('input before the command reads', () => {
  it('waits for the first output', async () => {
    const { clock, agent, channel } = aChannel();
    void channel.send(OUTPUT, Buffer.from('ls\n'));
    await clock.advance(1000);
    expect(agent.input).toEqual([]);
    agent.send(OUTPUT, '$ ');
    await clock.advance(10);
    expect(agent.typed().toString()).toBe('ls\n');
  });

  it('waits for the end of a handshake', async () => {
    const { clock, agent, channel } = aChannel();
    agent.send(HANDSHAKE_REQUEST, REQUEST);
    void channel.send(OUTPUT, Buffer.from('ls\n'));
    await clock.advance(10_000);
    expect(agent.input.map(({ payloadType }) => payloadType)).toEqual([6]);
    agent.send(HANDSHAKE_COMPLETE, '{"HandshakeTimeToComplete":1,"CustomerMessage":""}');
    await clock.advance(10);
    expect(agent.input.map(({ payloadType, sequenceNumber }) => [payloadType, sequenceNumber])).toEqual([
      [6, 0],
      [1, 1],
    ]);
  });

  it('goes to a silent command once no handshake has come', async () => {
    const { clock, agent, channel } = aChannel();
    void channel.send(SIZE, Buffer.from('{"cols":80,"rows":24}'));
    void channel.send(OUTPUT, Buffer.from('typed'));
    await clock.advance(2400);
    expect(agent.input).toEqual([]);
    await clock.advance(200);
    expect(agent.typed().toString()).toBe('typed');
  });

  it('is sent again, under new numbers, where a handshake comes after all', async () => {
    const { clock, agent, channel } = aChannel();
    void channel.send(OUTPUT, Buffer.from('typed'));
    await clock.advance(3000);
    agent.send(HANDSHAKE_REQUEST, REQUEST);
    agent.send(HANDSHAKE_COMPLETE, '{}');
    await clock.advance(10);
    expect(agent.input.map(({ payloadType, sequenceNumber }) => [payloadType, sequenceNumber])).toEqual([
      [1, 0],
      [6, 1],
      [1, 2],
    ]);
    await channel.delivered();
  });
});

describe('the end of a session', () => {
  it('brings what the agent says to it', async () => {
    const { clock, agent, channel } = aChannel();
    agent.close('Unable to start command');
    await clock.advance(10);
    await expect(channel.ended).resolves.toBe('Unable to start command');
  });

  it('is an error where the connection breaks', async () => {
    const { link, channel } = aChannel();
    link.break('WebSocket closed with code 1006');
    await expect(channel.ended).rejects.toThrow('the exec session broke off: WebSocket closed with code 1006');
  });

  it('is an error where the agent asks for something unknown, and the agent is told', async () => {
    const { clock, agent, channel } = aChannel();
    agent.send(HANDSHAKE_REQUEST, JSON.stringify({ RequestedClientActions: [{ ActionType: 'Dance' }] }));
    await clock.advance(10);
    await expect(channel.ended).rejects.toMatchObject({
      name: 'PermanentError',
      message: 'the agent in the container asks for Dance, which is not supported',
    });
    expect(JSON.parse(agent.typed(6).toString())).toMatchObject({
      ProcessedClientActions: [{ ActionType: 'Dance', ActionStatus: 3 }],
    });
  });

  it('comes where the other end is silent, and lets nobody wait', async () => {
    const { clock, agent, link, channel } = aChannel();
    agent.send(OUTPUT, 'ready');
    await clock.advance(10);
    agent.accepting = false;
    void channel.send(OUTPUT, Buffer.from('x'));
    const delivered = channel.delivered();
    await clock.advance(105_000);
    await expect(channel.ended).rejects.toThrow('does not answer');
    await delivered;
    expect(link.closed).toBe(true);
  });

  it('does not come for silence alone: a pong is a sign of life', async () => {
    const { clock, link, agent, channel } = aChannel();
    agent.send(OUTPUT, 'ready');
    for (let minute = 0; minute < 60; minute += 1) {
      await clock.advance(60_000);
      link.pong();
    }
    expect(link.closed).toBe(false);
    expect(link.pings).toBeGreaterThan(60);
    channel.close();
    await expect(channel.ended).resolves.toBe('');
  });
});

describe('publication', () => {
  it('stops what is sent while paused, and goes on with a start or any sign of the agent', async () => {
    const { clock, agent, channel } = aChannel();
    agent.send(OUTPUT, 'ready');
    agent.control('pause_publication');
    await clock.advance(10);
    void channel.send(OUTPUT, Buffer.from('a'));
    await clock.advance(1000);
    expect(agent.typed().toString()).toBe('');
    agent.control('start_publication');
    await clock.advance(10);
    expect(agent.typed().toString()).toBe('a');
    agent.control('pause_publication');
    await clock.advance(10);
    void channel.send(OUTPUT, Buffer.from('b'));
    await clock.advance(1000);
    expect(agent.typed().toString()).toBe('a');
    agent.send(OUTPUT, 'still here');
    await clock.advance(10);
    expect(agent.typed().toString()).toBe('ab');
    channel.close();
  });
});
