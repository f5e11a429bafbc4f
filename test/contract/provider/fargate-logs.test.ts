import { expect, it } from 'vitest';
import { startUpMs } from '../ecs-emulator/harness.ts';
import { fargateWorld } from './fargate-world.ts';
import { text } from './provider-world.ts';

const { signal } = new AbortController();
const podUid = '00000000-0000-4000-8000-000000000001';

it('logs are followed until the end, over empty pages', async () => {
  const { provider, world } = await fargateWorld();
  const script = 'log one; run 3s; log two; run 3s; log three; exit 0';
  const preparation = provider.prepare(
    { metadata: { uid: podUid, name: 'web' }, spec: { containers: [{ name: 'main', image: 'app:1' }] } },
    {
      node: 'fargate',
      environment: { main: { env: [{ name: 'SVK_SIMULATE', value: script, origin: 'template' }] } },
    },
  );
  if (!preparation.ok) throw new Error(JSON.stringify(preparation.problems));
  const request = await provider.provision(preparation.prepared, { podUid, attempt: 1, try: 1 }, signal);
  const result = await provider.launch(request, signal);
  if (result.kind !== 'started') throw new Error(result.message);
  await world.clock.advance(startUpMs + 400);
  world.aws.faults.inject({ kind: 'empty-log-pages', count: 3 });

  const query = { workloadId: result.workload.id, container: 'main', follow: true, timestamps: false };
  const following = text(provider.logs(query, signal));
  const progress = { ended: false };
  void following.finally(() => {
    progress.ended = true;
  });
  while (!progress.ended) {
    await world.clock.advance(1000);
    // The requests themselves are real.
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  expect(await following).toBe('one\ntwo\nthree\n');
});
