import { describe, expect, it } from 'vitest';
import { AgentCipher } from '../../../fakes/aws/agent-cipher.ts';
import { aChannel, encryption, KEY, KEY_ID, requestOf, SESSION_TYPE, shakenHands, TYPE } from './encrypted-channel.ts';

describe('a session that the agent encrypts', () => {
  it('gets a data key for the key and the challenge the agent names, and answers with its ciphertext', async () => {
    const { asked, response, channel } = await shakenHands();
    expect(asked).toEqual([{ keyId: KEY_ID, challenge: 'random==' }]);
    expect(response()).toEqual({
      ClientVersion: '1.2.764.0',
      ProcessedClientActions: [
        { ActionType: 'SessionType', ActionStatus: 1, ActionResult: null, Error: '' },
        {
          ActionType: 'KMSEncryption',
          ActionStatus: 1,
          ActionResult: {
            KMSCipherTextKey: Buffer.from('ciphertext').toString('base64'),
            KMSCipherTextHash: null,
            ChallengeAcknowledgement: true,
          },
          Error: '',
        },
      ],
      Errors: null,
    });
    channel.close();
  });

  it('acknowledges no challenge where the agent is too old to send one', async () => {
    const { agent, asked, clock, response, channel } = aChannel();
    agent.send(TYPE.request, requestOf(encryption({ KMSKeyId: 'alias/exec' })));
    await clock.advance(10);
    expect(asked).toEqual([{ keyId: 'alias/exec', challenge: undefined }]);
    expect(JSON.stringify(response())).not.toContain('ChallengeAcknowledgement');
    channel.close();
  });

  it('proves that it has the key: the text of the challenge comes back under the other half', async () => {
    const { agent, cipher, channel } = await shakenHands();
    const { Challenge } = JSON.parse(agent.typed(TYPE.challengeResponse).toString()) as { Challenge: string };
    expect(cipher.open(Buffer.from(Challenge, 'base64')).toString()).toBe('prove it');
    channel.close();
  });

  it('encrypts what is typed, not the size, and decrypts output, errors and exit code', async () => {
    const { agent, cipher, clock, channel, received, typed } = await shakenHands();
    void channel.send(TYPE.size, Buffer.from('{"cols":80,"rows":24}'));
    void channel.send(TYPE.output, Buffer.from('ls\n'));
    agent.send(TYPE.output, cipher.seal('$ '));
    agent.send(TYPE.stderr, cipher.seal('oh'));
    agent.send(TYPE.exitCode, cipher.seal('EXIT_CODE: 3'));
    await clock.advance(10);
    expect(agent.typed(TYPE.size).toString()).toBe('{"cols":80,"rows":24}');
    expect(agent.typed(TYPE.output).toString('latin1')).not.toContain('ls');
    expect(typed().toString()).toBe('ls\n');
    expect(received).toEqual([
      [TYPE.output, '$ '],
      [TYPE.stderr, 'oh'],
      [TYPE.exitCode, 'EXIT_CODE: 3'],
    ]);
    channel.close();
  });

  it('uses no nonce twice, and sends a message again as it was', async () => {
    const { agent, clock, channel } = await shakenHands();
    agent.accepting = false;
    for (let n = 0; n < 300; n += 1) void channel.send(TYPE.output, Buffer.from('same'));
    await clock.advance(3000);
    const sent = agent.frames.filter(({ payloadType }) => payloadType === TYPE.output);
    const bySequence = new Map(
      sent.map(({ sequenceNumber, payload }) => [sequenceNumber, Buffer.from(payload).toString('hex')]),
    );
    expect(sent.length).toBeGreaterThan(bySequence.size);
    for (const { sequenceNumber, payload } of sent)
      expect(Buffer.from(payload).toString('hex')).toBe(bySequence.get(sequenceNumber));
    expect(new Set([...bySequence.values()].map((hex) => hex.slice(0, 24))).size).toBe(256);
    channel.close();
  });

  it.each([
    { want: '20 % loss', disturbance: { lost: 0.2, doubled: 0, longestDelayMs: 0 } },
    { want: 'loss, doubling and reordering at once', disturbance: { lost: 0.2, doubled: 0.2, longestDelayMs: 120 } },
  ])('carries both directions byte for byte over $want', async ({ disturbance }) => {
    for (const seed of [1, 2, 3]) {
      const { clock, agent, cipher, channel, received, typed } = await shakenHands({ disturbance, seed });
      const up = Buffer.from(Array.from({ length: 30_000 }, (_, n) => (n * seed) % 251));
      for (let at = 0; at < up.length; at += 1000) {
        agent.send(TYPE.output, cipher.seal(up.subarray(at, at + 1000)));
        void channel.send(TYPE.output, up.subarray(at, at + 1000));
      }
      for (let second = 0; second < 600 && (agent.unacknowledged > 0 || typed().length < up.length); second += 1)
        await clock.advance(1000);
      expect(received.map(([, text]) => text).join('')).toBe(up.toString('latin1'));
      expect(typed().equals(up)).toBe(true);
      channel.close();
    }
  });
});

describe('what is typed meanwhile', () => {
  it('is lost neither while the key is made nor during the handshake, and goes nowhere in the clear', async () => {
    let give: (key: typeof KEY) => void = () => undefined;
    const { agent, clock, channel, challenge, arrived, typed } = aChannel({
      dataKey: () =>
        new Promise((resolve) => {
          give = resolve;
        }),
    });
    void channel.send(TYPE.output, Buffer.from('one '));
    agent.send(TYPE.request, requestOf(SESSION_TYPE, encryption()));
    await clock.advance(9000);
    void channel.send(TYPE.output, Buffer.from('two '));
    expect(arrived()).toEqual([]);
    give(KEY);
    await clock.advance(10);
    challenge();
    await clock.advance(10);
    void channel.send(TYPE.output, Buffer.from('three'));
    await clock.advance(4000);
    expect(arrived()).toEqual([TYPE.response, TYPE.challengeResponse]);
    agent.send(TYPE.complete, '{}');
    await clock.advance(10);
    expect(typed().toString()).toBe('one two three');
    await channel.delivered();
    channel.close();
  });

  it('is sent again, encrypted, where the demand comes later than anybody could expect', async () => {
    const { agent, clock, channel, challenge } = aChannel();
    void channel.send(TYPE.output, Buffer.from('typed'));
    await clock.advance(3000);
    agent.send(TYPE.request, requestOf(encryption()));
    await clock.advance(10);
    challenge();
    agent.send(TYPE.complete, '{}');
    await clock.advance(10);
    const [, , , again] = agent.input;
    expect(agent.input.map(({ payloadType }) => payloadType)).toEqual([
      TYPE.output,
      TYPE.response,
      TYPE.challengeResponse,
      TYPE.output,
    ]);
    expect(new AgentCipher(KEY.plaintext).open(again?.payload ?? Buffer.alloc(0)).toString()).toBe('typed');
    channel.close();
  });
});
