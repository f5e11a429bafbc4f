import { describe, expect, it } from 'vitest';
import { PermanentError } from '../../../../src/core/errors.ts';
import { DataChannel } from '../../../../src/streaming/ssm/data-channel.ts';
import type { DataKeyRequest, DataKeySource } from '../../../../src/streaming/ssm/data-key.ts';
import { AgentCipher } from '../../../fakes/aws/agent-cipher.ts';
import { type Disturbance, LossyLink } from '../../../fakes/aws/lossy-link.ts';
import { ScriptAgent } from '../../../fakes/aws/script-agent.ts';
import { FakeClock, SeededRandom } from '../../../fakes/clock.ts';

const OUTPUT = 1;
const SIZE = 3;
const REQUEST = 5;
const RESPONSE = 6;
const COMPLETE = 7;
const CHALLENGE = 8;
const CHALLENGE_RESPONSE = 9;
const STDERR = 11;
const EXIT_CODE = 12;
const KEY_ID = 'arn:aws:kms:eu-west-1:123456789012:key/0a1b2c3d';
const plaintext = Buffer.from(Array.from({ length: 64 }, (_, n) => n));
const KEY = { plaintext, ciphertext: Buffer.from('ciphertext') };

const requestOf = (...actions: readonly object[]): string =>
  JSON.stringify({ AgentVersion: '3.3.0.0', RequestedClientActions: actions });
const SESSION_TYPE = { ActionType: 'SessionType', ActionParameters: { SessionType: 'InteractiveCommands' } };
const encryption = (parameters: object = { KMSKeyId: KEY_ID, Challenge: 'random==' }): object => ({
  ActionType: 'KMSEncryption',
  ActionParameters: parameters,
});

interface Options {
  readonly disturbance?: Disturbance;
  readonly seed?: number;
  readonly dataKey?: DataKeySource;
}

const aChannel = ({ disturbance, seed = 1, dataKey = async () => KEY }: Options = {}) => {
  const clock = new FakeClock();
  const random = new SeededRandom(seed);
  const link = new LossyLink(clock, random, disturbance);
  const agent = new ScriptAgent(link, clock);
  const cipher = new AgentCipher(plaintext);
  const received: [number, string][] = [];
  const asked: DataKeyRequest[] = [];
  const channel = new DataChannel({
    link,
    tokenValue: 'secret-token',
    clock,
    random,
    dataKey: (request, signal) => {
      asked.push(request);
      return dataKey(request, signal);
    },
    onOutput: (type, payload) => received.push([type, Buffer.from(payload).toString('latin1')]),
  });
  return {
    clock,
    agent,
    link,
    channel,
    cipher,
    received,
    asked,
    typed: () =>
      Buffer.concat(agent.input.flatMap((one) => (one.payloadType === OUTPUT ? [cipher.open(one.payload)] : []))),
    response: (): unknown => JSON.parse(agent.typed(RESPONSE).toString()),
    challenge: (text: Buffer | string = 'prove it') =>
      agent.send(CHALLENGE, JSON.stringify({ Challenge: cipher.seal(text).toString('base64') })),
    arrived: () => agent.input.map(({ payloadType }) => payloadType),
  };
};

const shakenHands = async (options: Options = {}) => {
  const world = aChannel(options);
  const { clock, agent, challenge } = world;
  agent.send(REQUEST, requestOf(SESSION_TYPE, encryption()));
  const answered = async (type: number): Promise<void> => {
    for (let second = 0; second < 60 && agent.typed(type).length === 0; second += 1) await clock.advance(1000);
  };
  await answered(RESPONSE);
  challenge();
  await answered(CHALLENGE_RESPONSE);
  agent.send(COMPLETE, '{"HandshakeTimeToComplete":1,"CustomerMessage":"This session is encrypted using AWS KMS."}');
  await clock.advance(10);
  return world;
};

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
    agent.send(REQUEST, requestOf(encryption({ KMSKeyId: 'alias/exec' })));
    await clock.advance(10);
    expect(asked).toEqual([{ keyId: 'alias/exec', challenge: undefined }]);
    expect(JSON.stringify(response())).not.toContain('ChallengeAcknowledgement');
    channel.close();
  });

  it('proves that it has the key: the text of the challenge comes back under the other half', async () => {
    const { agent, cipher, channel } = await shakenHands();
    const { Challenge } = JSON.parse(agent.typed(CHALLENGE_RESPONSE).toString()) as { Challenge: string };
    expect(cipher.open(Buffer.from(Challenge, 'base64')).toString()).toBe('prove it');
    channel.close();
  });

  it('encrypts what is typed, not the size, and decrypts output, errors and exit code', async () => {
    const { agent, cipher, clock, channel, received, typed } = await shakenHands();
    void channel.send(SIZE, Buffer.from('{"cols":80,"rows":24}'));
    void channel.send(OUTPUT, Buffer.from('ls\n'));
    agent.send(OUTPUT, cipher.seal('$ '));
    agent.send(STDERR, cipher.seal('oh'));
    agent.send(EXIT_CODE, cipher.seal('EXIT_CODE: 3'));
    await clock.advance(10);
    expect(agent.typed(SIZE).toString()).toBe('{"cols":80,"rows":24}');
    expect(agent.typed(OUTPUT).toString('latin1')).not.toContain('ls');
    expect(typed().toString()).toBe('ls\n');
    expect(received).toEqual([
      [OUTPUT, '$ '],
      [STDERR, 'oh'],
      [EXIT_CODE, 'EXIT_CODE: 3'],
    ]);
    channel.close();
  });

  it('uses no nonce twice, and sends a message again as it was', async () => {
    const { agent, clock, channel } = await shakenHands();
    agent.accepting = false;
    for (let n = 0; n < 300; n += 1) void channel.send(OUTPUT, Buffer.from('same'));
    await clock.advance(3000);
    const sent = agent.frames.filter(({ payloadType }) => payloadType === OUTPUT);
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
        agent.send(OUTPUT, cipher.seal(up.subarray(at, at + 1000)));
        void channel.send(OUTPUT, up.subarray(at, at + 1000));
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
    void channel.send(OUTPUT, Buffer.from('one '));
    agent.send(REQUEST, requestOf(SESSION_TYPE, encryption()));
    await clock.advance(9000);
    void channel.send(OUTPUT, Buffer.from('two '));
    expect(arrived()).toEqual([]);
    give(KEY);
    await clock.advance(10);
    challenge();
    await clock.advance(10);
    void channel.send(OUTPUT, Buffer.from('three'));
    await clock.advance(4000);
    expect(arrived()).toEqual([RESPONSE, CHALLENGE_RESPONSE]);
    agent.send(COMPLETE, '{}');
    await clock.advance(10);
    expect(typed().toString()).toBe('one two three');
    await channel.delivered();
    channel.close();
  });

  it('is sent again, encrypted, where the demand comes later than anybody could expect', async () => {
    const { agent, clock, channel, challenge } = aChannel();
    void channel.send(OUTPUT, Buffer.from('typed'));
    await clock.advance(3000);
    agent.send(REQUEST, requestOf(encryption()));
    await clock.advance(10);
    challenge();
    agent.send(COMPLETE, '{}');
    await clock.advance(10);
    const [, , , again] = agent.input;
    expect(agent.input.map(({ payloadType }) => payloadType)).toEqual([OUTPUT, RESPONSE, CHALLENGE_RESPONSE, OUTPUT]);
    expect(new AgentCipher(plaintext).open(again?.payload ?? Buffer.alloc(0)).toString()).toBe('typed');
    channel.close();
  });
});

describe('an encrypted session ends with an error that names the key', () => {
  it('where no data key may be made, and the agent is told so, but not why', async () => {
    const { agent, clock, channel, response } = aChannel({
      dataKey: () => Promise.reject(new PermanentError(`no ${KEY_ID}: secret details`)),
    });
    agent.send(REQUEST, requestOf(SESSION_TYPE, encryption()));
    await clock.advance(10);
    await expect(channel.ended).rejects.toThrow(`no ${KEY_ID}: secret details`);
    expect(response()).toMatchObject({
      ProcessedClientActions: [
        { ActionType: 'SessionType', ActionStatus: 1 },
        {
          ActionType: 'KMSEncryption',
          ActionStatus: 2,
          ActionResult: null,
          Error: `the client has no data key of ${KEY_ID}`,
        },
      ],
    });
    expect(agent.typed(RESPONSE).toString()).not.toContain('secret');
  });

  it.each([
    { want: 'breaks in an odd way', dataKey: () => Promise.reject(new Error('odd')) },
    { want: 'gives a short key', dataKey: async () => ({ ...KEY, plaintext: Buffer.alloc(32) }) },
  ])('where the source $want', async ({ dataKey }) => {
    const { agent, clock, channel } = aChannel({ dataKey });
    agent.send(REQUEST, requestOf(encryption()));
    await clock.advance(10);
    await expect(channel.ended).rejects.toThrow(`no data key of the KMS key ${KEY_ID}`);
    expect(agent.typed(RESPONSE).toString()).toContain('"ActionStatus":2');
  });

  it.each([
    {
      want: 'a challenge that another key encrypts',
      act: { type: CHALLENGE, payload: JSON.stringify({ Challenge: 'AAAA' }) },
    },
    { want: 'a challenge that is none', act: { type: CHALLENGE, payload: '{}' } },
    { want: 'output in the clear', act: { type: OUTPUT, payload: '$ in the clear, and long enough to be anything' } },
    { want: 'an exit code in the clear', act: { type: EXIT_CODE, payload: 'EXIT_CODE: 0' } },
    { want: 'output that was changed', act: { type: OUTPUT, payload: changed() } },
  ])('for $want', async ({ act }) => {
    const { agent, clock, channel, received } = await shakenHands();
    agent.send(act.type, act.payload);
    await clock.advance(10);
    await expect(channel.ended).rejects.toThrow(KEY_ID);
    expect(received).toEqual([]);
  });

  it.each([
    { want: 'output', type: OUTPUT, payload: '$ ' },
    { want: 'the end of the handshake', type: COMPLETE, payload: '{}' },
    { want: 'a challenge', type: CHALLENGE, payload: '{"Challenge":"AAAA"}' },
    { want: 'another demand', type: REQUEST, payload: requestOf(encryption({ KMSKeyId: KEY_ID })) },
  ])('for $want before there is a key', async ({ type, payload }) => {
    const { agent, clock, channel, received, typed } = aChannel({ dataKey: () => new Promise(() => undefined) });
    void channel.send(OUTPUT, Buffer.from('secret'));
    agent.send(REQUEST, requestOf(encryption()));
    await clock.advance(10);
    agent.send(type, payload);
    await clock.advance(10);
    await expect(channel.ended).rejects.toThrow(KEY_ID);
    expect([received, typed().toString()]).toEqual([[], '']);
  });

  it.each([
    {
      want: 'may not have the key decrypted, with its words and the permission',
      output:
        '\n----------ERROR-------\nEncountered error while initiating handshake. Fetching data key failed: AccessDeniedException\n',
      is: 'PermanentError',
      says: 'and the agent in the container gave up before it had the data key (Encountered error while initiating handshake. Fetching data key failed: AccessDeniedException): allow kms:Decrypt on that key to the task role of the pod, and see that the subnets reach the endpoint of kms',
    },
    {
      want: 'gives up without a word',
      output: '',
      is: 'PermanentError',
      says: 'and the agent in the container gave up before it had the data key: allow kms:Decrypt on that key to the task role of the pod, and see that the subnets reach the endpoint of kms',
    },
    {
      want: 'is ended by something else',
      output: 'Session terminated.',
      is: 'TransientError',
      says: 'and it ended before both ends had the data key (Session terminated.)',
    },
  ])('where the agent $want', async ({ output, is, says }) => {
    const { agent, clock, channel } = aChannel();
    agent.send(REQUEST, requestOf(encryption()));
    await clock.advance(10);
    agent.close(output);
    await clock.advance(10);
    await expect(channel.ended).rejects.toMatchObject({
      name: is,
      message: `the exec session is encrypted with the KMS key ${KEY_ID}, ${says}`,
    });
  });

  it('where KMS takes longer than the agent waits', async () => {
    const { agent, clock, channel } = aChannel({ dataKey: () => new Promise(() => undefined) });
    agent.send(REQUEST, requestOf(encryption()));
    await clock.advance(15_000);
    agent.close('\n----------ERROR-------\nEncountered error while initiating handshake. Handshake timed out.\n');
    await clock.advance(10);
    await expect(channel.ended).rejects.toThrow(
      `the exec session is encrypted with the KMS key ${KEY_ID}, and it ended before KMS had made a data key for it (Encountered error while initiating handshake. Handshake timed out.)`,
    );
  });

  it('but not where it has gone well until its end', async () => {
    const { agent, clock, channel } = await shakenHands();
    agent.close('the last words');
    await clock.advance(10);
    await expect(channel.ended).resolves.toBe('the last words');
  });

  it.each([
    { want: 'no name of a key', parameters: { KMSKeyId: 'no key\n' } },
    { want: 'no key at all', parameters: {} },
  ])('or says what is not supported, for $want', async ({ parameters }) => {
    const { agent, clock, channel, asked } = aChannel();
    agent.send(REQUEST, requestOf(encryption(parameters)));
    await clock.advance(10);
    await expect(channel.ended).rejects.toThrow(
      'the agent in the container asks for KMSEncryption, which is not supported',
    );
    expect(asked).toEqual([]);
  });

  it('and makes one data key at most, however many are demanded', async () => {
    const { agent, clock, channel, asked, response } = aChannel();
    agent.send(REQUEST, requestOf(encryption(), encryption({ KMSKeyId: 'alias/other' })));
    await clock.advance(10);
    await expect(channel.ended).rejects.toThrow('KMSEncryption');
    expect(asked).toEqual([]);
    expect(response()).toMatchObject({ ProcessedClientActions: [{ ActionStatus: 2 }, { ActionStatus: 3 }] });
  });

  it('asks no longer for a key once the caller has left', async () => {
    let signal: AbortSignal | undefined;
    const { agent, clock, channel, arrived } = aChannel({
      dataKey: (_, given) => {
        signal = given;
        return new Promise((_resolve, reject) => given.addEventListener('abort', () => reject(new Error('aborted'))));
      },
    });
    agent.send(REQUEST, requestOf(encryption()));
    await clock.advance(10);
    channel.close();
    await clock.advance(10);
    expect(signal?.aborted).toBe(true);
    expect(arrived()).toEqual([]);
    await expect(channel.ended).resolves.toBe('');
  });
});

/** Encrypted with the right key, and then one bit of it changed. */
function changed(): Buffer {
  const sealed = new AgentCipher(plaintext).seal('$ ');
  sealed.writeUInt8(sealed.readUInt8(13) ^ 1, 13);
  return sealed;
}
