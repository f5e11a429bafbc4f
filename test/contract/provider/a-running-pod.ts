import type { IncomingMessage } from 'node:http';
import { noDelays } from '../../../infra/local/aws/delays.ts';
import { ProcessRuntime } from '../../../infra/local/runtimes/process/process-runtime.ts';
import type { Workload } from '../../../src/model/workload.ts';
import { FastClock } from '../../support/fast-clock.ts';
import { waitFor } from '../../support/local-cloud.ts';
import { type FargateWorld, fargateWorld } from './fargate-world.ts';
import { text } from './provider-world.ts';

export interface RunningPod {
  readonly provider: FargateWorld['provider'];
  readonly workloadId: string;
  readonly current: () => Promise<Workload>;
  /** Resolves with the container's whole output so far, once that matches. */
  readonly printed: (pattern: RegExp) => Promise<string>;
  /** How often logs have been asked for. */
  readonly logReads: () => number;
}

const { signal } = new AbortController();
const podUid = '00000000-0000-4000-8000-000000000001';

/** A pod whose container `main` runs as a local process, five times as fast as real ones where it waits for ECS. */
export const aRunningPod = async (command: readonly string[]): Promise<RunningPod> => {
  let logReads = 0;
  const { provider } = await fargateWorld({
    runtime: new ProcessRuntime(),
    clock: new FastClock(5),
    delays: noDelays,
    onRequest: ({ headers }: IncomingMessage) => {
      if (headers['x-amz-target'] === 'Logs_20140328.GetLogEvents') logReads += 1;
    },
  });
  const preparation = provider.prepare(
    {
      metadata: { uid: podUid, name: 'web', namespace: 'shop' },
      spec: { containers: [{ name: 'main', image: 'app:1', command: [...command] }] },
    },
    {
      node: 'fargate',
      environment: { main: { env: [], command: command.map((value) => ({ value, origin: 'template' })) } },
    },
  );
  if (!preparation.ok) throw new Error(JSON.stringify(preparation.problems));
  const request = await provider.provision(preparation.prepared, { podUid, attempt: 1, try: 1 }, signal);
  const result = await provider.launch(request, signal);
  if (result.kind !== 'started') throw new Error(result.message);
  const workloadId = result.workload.id;
  const current = async (): Promise<Workload> => {
    const [workload] = (await provider.describe([workloadId], signal)).workloads;
    if (!workload) throw new Error(`${workloadId} is missing`);
    return workload;
  };
  await waitFor(async () => (await current()).phase === 'running', { withinMs: 15_000, what: 'the task' });
  return {
    provider,
    workloadId,
    current,
    logReads: () => logReads,
    printed: async (pattern) => {
      const query = { workloadId, container: 'main', follow: false, timestamps: false };
      let output = '';
      await waitFor(
        async () => {
          output = await text(provider.logs(query, signal));
          return pattern.test(output);
        },
        { withinMs: 15_000, what: `output that matches ${pattern}` },
      );
      return output;
    },
  };
};
