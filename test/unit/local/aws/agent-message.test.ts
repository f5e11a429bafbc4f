import { describe, expect, it } from 'vitest';
import { fromFrame, toFrame } from '../../../../infra/local/aws/sessions/agent-message.ts';

/** Sent by the official agent for `echo hello`. */
const recorded =
  '000000746f75747075745f73747265616d5f64617461202020202020202020202020202000000001000001a22f92c3a9000000000000000000000000000000018754a2c43fa2fed818788e8a0df84bd9cd2eca3535741f27a8ae40c31b0c41d4057a7a7b912b33b9aed86485d1c84676000000010000000768656c6c6f0d0a';

const message = {
  type: 'output_stream_data',
  createdAt: 1_796_094_477_225,
  sequenceNumber: 0,
  flags: 1,
  id: '18788e8a-0df8-4bd9-8754-a2c43fa2fed8',
  payloadType: 1,
  payload: Buffer.from('hello\r\n'),
};

describe('a message of the data channel', () => {
  it('is written as the official agent writes it', () => {
    expect(toFrame(message).toString('hex')).toBe(recorded);
  });

  it('is read again', () => {
    expect(fromFrame(Buffer.from(recorded, 'hex'))).toEqual(message);
  });

  it.each([
    { want: 'too short', hex: recorded.slice(0, 200) },
    { want: 'without its whole payload', hex: recorded.slice(0, -2) },
    { want: 'with another header length', hex: `00000075${recorded.slice(8)}` },
    { want: 'with a negative number', hex: `${recorded.slice(0, 96)}ffffffffffffffff${recorded.slice(112)}` },
    { want: 'empty', hex: '' },
  ])('is none where it is $want', ({ hex }) => {
    expect(fromFrame(Buffer.from(hex, 'hex'))).toBeUndefined();
  });
});
