import { expect, it } from 'vitest';
import { LoopbackAddresses } from '../../../../infra/local/runtimes/addresses.ts';

it('gives each taker another loopback address, and a returned one only after all others', () => {
  const addresses = new LoopbackAddresses(8);
  const [first, second] = [addresses.take(), addresses.take()];
  addresses.give(first);
  expect([first, second, addresses.take()]).toEqual(['127.8.0.1', '127.8.0.2', '127.8.0.3']);
});

it('goes through the third number and comes round to what was given back', () => {
  const addresses = new LoopbackAddresses(9);
  const all = Array.from({ length: 65_024 }, () => addresses.take());
  expect([all[253], all[254], all[65_023]]).toEqual(['127.9.0.254', '127.9.1.1', '127.9.255.254']);
  expect(() => addresses.take()).toThrow('no loopback address is free');
  addresses.give('127.9.7.7');
  expect(addresses.take()).toBe('127.9.7.7');
});
