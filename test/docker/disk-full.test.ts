import { randomBytes } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import { shell, startDockerWorld } from './support/docker-world.ts';
import { hasEngine } from './support/engine.ts';
import { rootFiles } from './support/images.ts';
import { hasPrivateEngine, startPrivateEngine } from './support/private-engine.ts';
import { startRegistry } from './support/registry.ts';

describe.skipIf(!hasEngine || !hasPrivateEngine())('an engine whose disk is full', () => {
  it('stops the task in AWS’s words, and runs the next one that fits', async () => {
    const engine = await startPrivateEngine(24);
    onTestFinished(() => engine.close());
    const ballast = { kind: 'file', path: 'ballast', mode: 0o644, content: randomBytes(40 * 1_048_576) } as const;
    const large = await startRegistry([...rootFiles(), ballast], ['true']);
    onTestFinished(() => large.close());
    const small = await startRegistry(rootFiles(), ['true']);
    onTestFinished(() => small.close());
    const world = await startDockerWorld({ engine: engine.address });
    onTestFinished(() => world.close());

    const run = await world.run([shell('true', { image: `${large.host}/there:1` })]);
    const { stopCode, stoppedReason } = await run.reaches('STOPPED');
    expect(stopCode).toBe('TaskFailedToStart');
    expect(stoppedReason).toMatch(
      /^CannotPullContainerError: ref pull has been retried 1 time\(s\): failed to extract layer: .*no space left on device/,
    );

    const next = await world.run([shell('echo fits', { image: `${small.host}/there:1` })]);
    expect(await next.reaches('STOPPED')).toMatchObject({ containers: [{ exitCode: 0 }] });
  });
});
