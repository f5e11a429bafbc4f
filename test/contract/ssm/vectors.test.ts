import { describe, expect, it } from 'vitest';
import { acknowledgedNumber, acknowledgementOf } from '../../../src/streaming/ssm/acknowledgement.ts';
import { type AgentMessage, decodeAgentMessage, encodeAgentMessage } from '../../../src/streaming/ssm/agent-message.ts';
import { answerHandshake, readHandshake } from '../../../src/streaming/ssm/handshake.ts';
import { binaryVectors, recorded, recordings } from './vectors.ts';

const decode = (bytes: Buffer): AgentMessage => {
  const message = decodeAgentMessage(bytes);
  if (!message) throw new Error('no message');
  return message;
};

describe('recorded messages of the official ends', () => {
  it.each(binaryVectors)('$name: the fields give the bytes', ({ hex, fields }) => {
    const bytes = encodeAgentMessage({
      type: fields.messageType,
      schemaVersion: fields.schemaVersion,
      createdAt: fields.createdDate,
      sequenceNumber: fields.sequenceNumber,
      flags: fields.flags,
      id: fields.messageId,
      payloadType: fields.payloadType,
      payload: Buffer.from(fields.payloadHex, 'hex'),
    });
    expect(bytes.toString('hex')).toBe(hex);
  });

  it.each(binaryVectors)('$name: the bytes give the fields', ({ hex, fields }) => {
    const { payload, ...message } = decode(Buffer.from(hex, 'hex'));
    expect(message).toEqual({
      type: fields.messageType,
      schemaVersion: fields.schemaVersion,
      createdAt: fields.createdDate,
      sequenceNumber: fields.sequenceNumber,
      flags: fields.flags,
      id: fields.messageId,
      payloadType: fields.payloadType,
    });
    expect(Buffer.from(payload).toString('hex')).toBe(fields.payloadHex);
  });

  it.each(recordings.sessions)('session $name: every frame comes back byte for byte', ({ frames }) => {
    const binary = frames.flatMap(({ hex }) => (hex === undefined ? [] : [hex]));
    expect(binary.length).toBeGreaterThan(2);
    expect(binary.map((hex) => encodeAgentMessage(decode(Buffer.from(hex, 'hex'))).toString('hex'))).toEqual(binary);
  });

  it('acknowledge as the official client does', () => {
    const official = decode(recorded('acknowledge-by-client')).payload;
    expect(acknowledgementOf(decode(recorded('output-first'))).toString()).toBe(Buffer.from(official).toString());
    expect(acknowledgedNumber(decode(recorded('acknowledge-by-agent')).payload)).toBe(0);
    expect(acknowledgedNumber(official)).toBeUndefined();
  });

  it('answer a handshake as the official client does, but for the version', () => {
    const handshake = readHandshake(decode(recorded('handshake-request')).payload);
    const official = Buffer.from(decode(recorded('handshake-response')).payload).toString();
    expect(answerHandshake(handshake).toString()).toBe(official.replace('1.3.0.0', '1.2.764.0'));
    expect(handshake.unsupported).toEqual([]);
    const port = readHandshake(decode(recorded('handshake-request-port')).payload);
    expect(port.unsupported).toEqual(['SessionType']);
  });

  it.each(['output-first', 'acknowledge-by-agent', 'channel-closed-to-client', 'handshake-request'])(
    '%s: any damaged byte of the payload is noticed',
    (name) => {
      const bytes = recorded(name);
      for (let at = 120; at < bytes.length; at += 7) {
        const damaged = Buffer.from(bytes);
        damaged.writeUInt8(damaged.readUInt8(at) ^ 1, at);
        expect(decodeAgentMessage(damaged)).toBeUndefined();
      }
      for (const length of [0, 1, 4, 119, bytes.length - 1]) {
        expect(decodeAgentMessage(bytes.subarray(0, length))).toBeUndefined();
      }
    },
  );
});
