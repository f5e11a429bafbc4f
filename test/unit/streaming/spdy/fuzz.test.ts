import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { KUBECTL_EXEC, KUBECTL_PORT_FORWARD } from './recordings.ts';
import { SpdyClient } from './spdy-client.ts';

const mutation = fc.record({
  at: fc.nat(),
  byte: fc.nat(255),
  kind: fc.constantFrom('set', 'insert', 'delete', 'cut'),
});

const mutate = (bytes: Buffer, changes: readonly { at: number; byte: number; kind: string }[]): Buffer =>
  changes.reduce((current, { at, byte, kind }) => {
    const index = at % (current.length + 1);
    const [before, after] = [current.subarray(0, index), current.subarray(index)];
    switch (kind) {
      case 'set':
        return Buffer.concat([before, Buffer.from([byte]), after.subarray(1)]);
      case 'insert':
        return Buffer.concat([before, Buffer.from([byte]), after]);
      case 'delete':
        return Buffer.concat([before, after.subarray(1)]);
      default:
        return before;
    }
  }, bytes);

describe('mutated SPDY', () => {
  it('ends the connection or leaves it well, and never more', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(KUBECTL_EXEC, KUBECTL_PORT_FORWARD),
        fc.array(mutation, { minLength: 1, maxLength: 8 }),
        fc.integer({ min: 1, max: 500 }),
        async (recording, changes, size) => {
          const bytes = mutate(recording, changes);
          const client = new SpdyClient();
          client.io.resume();
          for (let at = 0; at < bytes.length; at += size) client.io.write(bytes.subarray(at, at + size));
          for (let turn = 0; turn < 4; turn += 1) await new Promise((resolve) => setImmediate(resolve));
          const { signal } = client.server;
          expect(signal.aborted ? (signal.reason as Error).name : 'alive').toMatch(/^(alive|SpdyError)$/);
          expect(client.streams.size).toBeLessThanOrEqual(8);
          client.server.destroy();
          expect([...client.streams.values()].every(({ destroyed }) => destroyed)).toBe(true);
        },
      ),
      { numRuns: 500, seed: 7 },
    );
  });
});
