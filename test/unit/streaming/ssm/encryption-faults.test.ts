import { describe, expect, it } from 'vitest';
import { PermanentError } from '../../../../src/core/errors.ts';
import { AgentCipher } from '../../../fakes/aws/agent-cipher.ts';
import { aChannel, encryption, KEY, KEY_ID, requestOf, SESSION_TYPE, shakenHands, TYPE } from './encrypted-channel.ts';

describe('an encrypted session ends with an error that names the key', () => {
  it('where no data key may be made, and the agent is told so, but not why', async () => {
    const { agent, clock, channel, response } = aChannel({
      dataKey: () => Promise.reject(new PermanentError(`no ${KEY_ID}: secret details`)),
    });
    agent.send(TYPE.request, requestOf(SESSION_TYPE, encryption()));
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
    expect(agent.typed(TYPE.response).toString()).not.toContain('secret');
  });

  it.each([
    { want: 'breaks in an odd way', dataKey: () => Promise.reject(new Error('odd')) },
    { want: 'gives a short key', dataKey: async () => ({ ...KEY, plaintext: Buffer.alloc(32) }) },
  ])('where the source $want', async ({ dataKey }) => {
    const { agent, clock, channel } = aChannel({ dataKey });
    agent.send(TYPE.request, requestOf(encryption()));
    await clock.advance(10);
    await expect(channel.ended).rejects.toThrow(`no data key of the KMS key ${KEY_ID}`);
    expect(agent.typed(TYPE.response).toString()).toContain('"ActionStatus":2');
  });

  it.each([
    {
      want: 'a challenge that another key encrypts',
      act: { type: TYPE.challenge, payload: JSON.stringify({ Challenge: 'AAAA' }) },
    },
    { want: 'a challenge that is none', act: { type: TYPE.challenge, payload: '{}' } },
    {
      want: 'output in the clear',
      act: { type: TYPE.output, payload: '$ in the clear, and long enough to be anything' },
    },
    { want: 'an exit code in the clear', act: { type: TYPE.exitCode, payload: 'EXIT_CODE: 0' } },
    { want: 'output that was changed', act: { type: TYPE.output, payload: changed() } },
  ])('for $want', async ({ act }) => {
    const { agent, clock, channel, received } = await shakenHands();
    agent.send(act.type, act.payload);
    await clock.advance(10);
    await expect(channel.ended).rejects.toThrow(KEY_ID);
    expect(received).toEqual([]);
  });

  it.each([
    { want: 'output', type: TYPE.output, payload: '$ ' },
    { want: 'the end of the handshake', type: TYPE.complete, payload: '{}' },
    { want: 'a challenge', type: TYPE.challenge, payload: '{"Challenge":"AAAA"}' },
    { want: 'another demand', type: TYPE.request, payload: requestOf(encryption({ KMSKeyId: KEY_ID })) },
  ])('for $want before there is a key', async ({ type, payload }) => {
    const { agent, clock, channel, received, typed } = aChannel({ dataKey: () => new Promise(() => undefined) });
    void channel.send(TYPE.output, Buffer.from('secret'));
    agent.send(TYPE.request, requestOf(encryption()));
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
    agent.send(TYPE.request, requestOf(encryption()));
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
    agent.send(TYPE.request, requestOf(encryption()));
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
    agent.send(TYPE.request, requestOf(encryption(parameters)));
    await clock.advance(10);
    await expect(channel.ended).rejects.toThrow(
      'the agent in the container asks for KMSEncryption, which is not supported',
    );
    expect(asked).toEqual([]);
  });

  it('and makes one data key at most, however many are demanded', async () => {
    const { agent, clock, channel, asked, response } = aChannel();
    agent.send(TYPE.request, requestOf(encryption(), encryption({ KMSKeyId: 'alias/other' })));
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
    agent.send(TYPE.request, requestOf(encryption()));
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
  const sealed = new AgentCipher(KEY.plaintext).seal('$ ');
  sealed.writeUInt8(sealed.readUInt8(13) ^ 1, 13);
  return sealed;
}
