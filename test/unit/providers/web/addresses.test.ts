import type dns from 'node:dns';
import { describe, expect, it } from 'vitest';
import { PermanentError } from '../../../../src/core/errors.ts';
import { guardedLookup, isRefusedAddress } from '../../../../src/providers/web/addresses.ts';

describe('addresses', () => {
  it.each([
    '169.254.169.254',
    '169.254.170.2',
    '169.254.0.1',
    'fe80::1',
    'fe80::1%eth0',
    '[fe80::1]',
    'febf::1',
    'fd00:ec2::254',
    'fd20:ce::254',
    '100.100.100.200',
    '168.63.129.16',
    '192.0.0.192',
    '::ffff:169.254.169.254',
    '::ffff:a9fe:a9fe',
    '64:ff9b::a9fe:a9fe',
    '2002:a9fe:a9fe::1',
  ])('%s is refused', (address) => {
    expect(isRefusedAddress(address)).toBe(true);
  });

  it.each(['127.0.0.1', '::1', '10.0.0.1', '192.168.1.1', '169.253.255.255', '8.8.8.8', 'fd00::1', 'pods.example', ''])(
    '%s is not',
    (address) => {
      expect(isRefusedAddress(address)).toBe(false);
    },
  );
});

const look = (answers: readonly string[], all: boolean) =>
  new Promise<{ readonly error: Error | null; readonly address: unknown }>((resolve) => {
    const found: dns.LookupAddress[] = answers.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
    const lookup = guardedLookup((_host, _options, callback) => callback(null, found));
    lookup('pods.example', { all }, (error, address) => resolve({ error, address }));
  });

describe('the resolution of a name', () => {
  it('answers what the socket asks for', async () => {
    expect(await look(['10.0.0.1', '10.0.0.2'], false)).toEqual({ error: null, address: '10.0.0.1' });
    expect((await look(['10.0.0.1', '::1'], true)).address).toEqual([
      { address: '10.0.0.1', family: 4 },
      { address: '::1', family: 6 },
    ]);
  });

  it.each([false, true])('fails where one of several addresses is refused (all: %s)', async (all) => {
    const { error } = await look(['10.0.0.1', '169.254.169.254'], all);
    expect(error).toBeInstanceOf(PermanentError);
    expect(error?.message).toBe(
      'pods.example stands for 169.254.169.254, a link-local or metadata address: name another host as url',
    );
  });

  it('fails where there is none', async () => {
    expect((await look([], false)).error).toMatchObject({ code: 'ENOTFOUND' });
  });

  it('hands on what the resolver says', async () => {
    const failure = Object.assign(new Error('try again'), { code: 'EAI_AGAIN' });
    const lookup = guardedLookup((_host, _options, callback) => callback(failure, []));
    const error = await new Promise((resolve) => lookup('pods.example', {}, resolve));
    expect(error).toBe(failure);
  });
});
