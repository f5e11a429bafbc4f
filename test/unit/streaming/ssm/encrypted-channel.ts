import { DataChannel } from '../../../../src/streaming/ssm/data-channel.ts';
import type { DataKeyRequest, DataKeySource } from '../../../../src/streaming/ssm/data-key.ts';
import { AgentCipher } from '../../../fakes/aws/agent-cipher.ts';
import { type Disturbance, LossyLink } from '../../../fakes/aws/lossy-link.ts';
import { ScriptAgent } from '../../../fakes/aws/script-agent.ts';
import { FakeClock, SeededRandom } from '../../../fakes/clock.ts';

/** Types of payload. */
export const TYPE = {
  output: 1,
  size: 3,
  request: 5,
  response: 6,
  complete: 7,
  challenge: 8,
  challengeResponse: 9,
  stderr: 11,
  exitCode: 12,
} as const;
export const KEY_ID = 'arn:aws:kms:eu-west-1:123456789012:key/0a1b2c3d';
const plaintext = Buffer.from(Array.from({ length: 64 }, (_, n) => n));
export const KEY = { plaintext, ciphertext: Buffer.from('ciphertext') };

/** The agent's demand of these actions. */
export const requestOf = (...actions: readonly object[]): string =>
  JSON.stringify({ AgentVersion: '3.3.0.0', RequestedClientActions: actions });
export const SESSION_TYPE = { ActionType: 'SessionType', ActionParameters: { SessionType: 'InteractiveCommands' } };
export const encryption = (parameters: object = { KMSKeyId: KEY_ID, Challenge: 'random==' }): object => ({
  ActionType: 'KMSEncryption',
  ActionParameters: parameters,
});

/** A channel, the agent at its other end, and what each has seen. */
export interface EncryptedChannel {
  readonly clock: FakeClock;
  readonly agent: ScriptAgent;
  readonly link: LossyLink;
  readonly channel: DataChannel;
  readonly cipher: AgentCipher;
  /** Type and text of all the channel has put out. */
  readonly received: [number, string][];
  /** The data keys it has asked for. */
  readonly asked: DataKeyRequest[];
  /** What was typed, as the agent decrypts it. */
  readonly typed: () => Buffer;
  /** The answer to the agent's demands. */
  readonly response: () => unknown;
  readonly challenge: (text?: Buffer | string) => void;
  /** Types of payload that have come to the agent. */
  readonly arrived: () => number[];
}

interface Options {
  readonly disturbance?: Disturbance;
  readonly seed?: number;
  readonly dataKey?: DataKeySource;
}

/** One on which nothing has been said yet. */
export const aChannel = ({ disturbance, seed = 1, dataKey = async () => KEY }: Options = {}): EncryptedChannel => {
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
      Buffer.concat(agent.input.flatMap((one) => (one.payloadType === TYPE.output ? [cipher.open(one.payload)] : []))),
    response: (): unknown => JSON.parse(agent.typed(TYPE.response).toString()),
    challenge: (text: Buffer | string = 'prove it') =>
      agent.send(TYPE.challenge, JSON.stringify({ Challenge: cipher.seal(text).toString('base64') })),
    arrived: () => agent.input.map(({ payloadType }) => payloadType),
  };
};

/** One whose handshake is over: all is encrypted from here on. */
export const shakenHands = async (options: Options = {}): Promise<EncryptedChannel> => {
  const world = aChannel(options);
  const { clock, agent, challenge } = world;
  agent.send(TYPE.request, requestOf(SESSION_TYPE, encryption()));
  const answered = async (type: number): Promise<void> => {
    for (let second = 0; second < 60 && agent.typed(type).length === 0; second += 1) await clock.advance(1000);
  };
  await answered(TYPE.response);
  challenge();
  await answered(TYPE.challengeResponse);
  agent.send(
    TYPE.complete,
    '{"HandshakeTimeToComplete":1,"CustomerMessage":"This session is encrypted using AWS KMS."}',
  );
  await clock.advance(10);
  return world;
};
