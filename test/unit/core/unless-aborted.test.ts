import { describe, expect, it } from 'vitest';
import { unlessAborted } from '../../../src/core/unless-aborted.ts';

describe('work that may be cut short', () => {
  const left = (): AbortController => new AbortController();

  it('answers or fails as it does by itself', async () => {
    await expect(unlessAborted(Promise.resolve(7), left().signal)).resolves.toBe(7);
    await expect(unlessAborted(Promise.reject(new Error('broken')), left().signal)).rejects.toThrow('broken');
  });

  it('is left as soon as the signal aborts, with its reason', async () => {
    const controller = left();
    const waiting = unlessAborted(new Promise(() => undefined), controller.signal);
    controller.abort(new Error('the client has gone'));
    await expect(waiting).rejects.toThrow('the client has gone');
  });

  it('is not waited for where the signal has aborted already, and what it fails with is dropped', async () => {
    const controller = left();
    controller.abort('no error');
    await expect(unlessAborted(Promise.reject(new Error('late')), controller.signal)).rejects.toThrow('aborted');
  });
});
