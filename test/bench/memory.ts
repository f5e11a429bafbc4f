import { type BenchOptions, type Measurement } from './measurement.ts';
import { podOn, residentMiB, startContest } from './mock-and-peer.ts';

const PODS = '/api/v1/namespaces/default/pods';
const SETTLE_MS = 5_000;

/** Resident memory of `svk run` and of virtual-kubelet, both with their mock: idle, and with so many pods Running. */
export async function* run({ pods }: BenchOptions): AsyncIterable<Measurement> {
  const { subjects, client, close } = await startContest();
  try {
    const common = { bench: 'memory', unit: 'MiB' } as const;
    await settled();
    for (const { name, pid } of subjects)
      yield { ...common, metric: 'idle_rss_mib', subject: name, value: await residentMiB(pid) };
    for (const { node } of subjects) {
      for (let index = 0; index < pods; index += 1) {
        await client.create(PODS, podOn(node, `${node}-${index}`), { signal: AbortSignal.timeout(10_000) });
      }
    }
    await settled();
    for (const { name, pid } of subjects)
      yield { ...common, metric: 'rss_with_pods_mib', subject: name, value: await residentMiB(pid), n: pods };
  } finally {
    await close();
  }
}

const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
