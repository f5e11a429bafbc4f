import { describe, expect, it } from 'vitest';
import { type AgentMessage, decodeAgentMessage } from '../../../src/streaming/ssm/agent-message.ts';
import { DataChannel } from '../../../src/streaming/ssm/data-channel.ts';
import type { DataKeyRequest } from '../../../src/streaming/ssm/data-key.ts';
import { PayloadCipher } from '../../../src/streaming/ssm/payload-cipher.ts';
import { AgentCipher } from '../../fakes/aws/agent-cipher.ts';
import { LossyLink } from '../../fakes/aws/lossy-link.ts';
import { FakeClock, SeededRandom } from '../../fakes/clock.ts';
import { recorded, recordedSecret, recordings } from './vectors.ts';

const { kms } = recordings;
const dataKey = Buffer.from(kms.plaintextDataKeyHex, 'hex');

const decode = (bytes: Buffer): AgentMessage => {
  const message = decodeAgentMessage(bytes);
  if (!message) throw new Error('no message');
  return message;
};

describe('recorded messages of a session that KMS encrypts', () => {
  it.each(['encryption-challenge-request', 'output-encrypted'])('%s: what the agent has encrypted opens', (name) => {
    const { sealed, plaintext } = recordedSecret(name);
    expect(new PayloadCipher(dataKey, Buffer.alloc(12)).open(sealed)?.toString('hex')).toBe(plaintext.toString('hex'));
  });

  it.each(['encryption-challenge-response', 'input-encrypted'])(
    '%s: the nonce of the official client gives its bytes',
    (name) => {
      const { sealed, plaintext } = recordedSecret(name);
      const cipher = new PayloadCipher(dataKey, sealed.subarray(0, 12));
      expect(cipher.seal(plaintext).toString('hex')).toBe(sealed.toString('hex'));
    },
  );

  it('of the agent count their nonces as we do: up, little-endian', () => {
    const nonces = ['encryption-challenge-request', 'output-encrypted'].map((name) =>
      recordedSecret(name).sealed.subarray(0, 12).toString('hex'),
    );
    expect(nonces).toEqual(['3f7de2486bcb981ddef75bf6', '407de2486bcb981ddef75bf6']);
    const cipher = new PayloadCipher(dataKey, Buffer.from('ffff00000000000000000000', 'hex'));
    const ours = [1, 2, 3].map(() => cipher.seal(Buffer.of(1)).toString('hex', 0, 12));
    expect(ours).toEqual(['ffff00000000000000000000', '000001000000000000000000', '010001000000000000000000']);
  });

  it('open for nobody who changes a byte, or has another key', () => {
    const { sealed } = recordedSecret('output-encrypted');
    const cipher = new PayloadCipher(dataKey, Buffer.alloc(12));
    for (let at = 0; at < sealed.length; at += 1) {
      const changed = Buffer.from(sealed);
      changed.writeUInt8(changed.readUInt8(at) ^ 1, at);
      expect(cipher.open(changed)).toBeUndefined();
      expect(cipher.open(sealed.subarray(0, at))).toBeUndefined();
    }
    expect(new PayloadCipher(Buffer.from(dataKey).reverse(), Buffer.alloc(12)).open(sealed)).toBeUndefined();
  });
});

describe('the whole recorded session', () => {
  it('is understood, and answered as by the official client but for version and challenge', async () => {
    const clock = new FakeClock();
    const random = new SeededRandom(1);
    const link = new LossyLink(clock, random);
    const sent: AgentMessage[] = [];
    link.peer = (frame) => {
      if (typeof frame !== 'string') sent.push(decode(frame));
    };
    const asked: DataKeyRequest[] = [];
    const shown: string[] = [];
    const channel = new DataChannel({
      link,
      tokenValue: 'token',
      clock,
      random,
      dataKey: async (request) => {
        asked.push(request);
        return { plaintext: dataKey, ciphertext: Buffer.from(kms.ciphertextBlobBase64, 'base64') };
      },
      onOutput: (_, payload) => shown.push(Buffer.from(payload).toString()),
    });
    void channel.send(1, Buffer.from('echo secret\n'));
    const session = recordings.sessions.find(({ name }) => name === 'kms');
    for (const { from, hex } of session?.frames ?? []) {
      if (hex === undefined || from === 'client') continue;
      link.deliver(Buffer.from(hex, 'hex'));
      await clock.advance(10);
    }
    await expect(channel.ended).resolves.toBe('');
    expect(shown.join('')).toBe('# echo secret\r\nsecret\r\n# exit\r\n');
    expect(asked).toEqual([{ keyId: kms.keyId, challenge: 'k26IIFaRTnoICWRKhJvcFA==' }]);
    const [response, proof, input] = sent
      .filter(({ type }) => type === 'input_stream_data')
      .map(({ payload }) => payload);
    const official = Buffer.from(decode(recorded('handshake-response-kms')).payload).toString();
    expect(Buffer.from(response ?? []).toString()).toBe(
      official
        .replace('1.3.0.0', '1.2.764.0')
        .replace('"KMSCipherTextHash":null', '"KMSCipherTextHash":null,"ChallengeAcknowledgement":true'),
    );
    const agent = new AgentCipher(dataKey);
    const { Challenge } = JSON.parse(Buffer.from(proof ?? []).toString()) as { Challenge: string };
    expect(agent.open(Buffer.from(Challenge, 'base64'))).toEqual(
      recordedSecret('encryption-challenge-response').plaintext,
    );
    expect(agent.open(input ?? Buffer.alloc(0)).toString()).toBe('echo secret\n');
  });
});
