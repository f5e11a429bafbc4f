import { Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { MemoryResourceStore } from '../../../src/adapters/memory/resource-store.ts';
import { SystemClock } from '../../../src/adapters/system/system-clock.ts';
import { SystemRandom } from '../../../src/adapters/system/system-random.ts';
import { createAwsApis } from '../../../src/providers/fargate/aws/clients.ts';
import { FargateProvider } from '../../../src/providers/fargate/fargate-provider.ts';
import { aDeployment } from '../../golden/a-deployment.ts';
import { RecordingLogger } from '../../support/recording-logger.ts';
import { AWS_SETTINGS, CLUSTER, LOG_GROUP } from './fargate-names.ts';

/** A running pod, and the one thing the benchmark does with it. */
export interface FargatePod {
  /** Runs a command without a terminal. @throws {Error} where it fails. */
  readonly exec: (command: readonly string[], ends: CommandEnds) => Promise<void>;
  readonly close: () => void;
}

export interface CommandEnds {
  /** Taken from once the command reads. */
  readonly input?: Iterable<Uint8Array>;
  readonly onOutput: (piece: Buffer) => void;
}

const POD_UID = '00000000-0000-4000-8000-000000000001';
const START_WITHIN_MS = 30_000;

/** Starts a pod by the provider on the emulator at `endpoint`, and waits until its exec agent is up. */
export const startFargatePod = async (endpoint: string): Promise<FargatePod> => {
  const { signal } = new AbortController();
  const apis = createAwsApis({ ...AWS_SETTINGS, endpoint });
  const provider = new FargateProvider({
    ...aDeployment({
      clusterArn: `arn:aws:ecs:${AWS_SETTINGS.region}:123456789012:cluster/${CLUSTER}`,
      logGroup: LOG_GROUP,
      taskRoleArn: 'arn:aws:iam::123456789012:role/svk-dev-exec',
    }),
    ...apis,
    resources: new MemoryResourceStore(),
    clock: new SystemClock(),
    random: new SystemRandom(),
    logger: new RecordingLogger(),
    clusterHash: () => '0123456789ab',
  });
  const command = ['sleep', '3600'];
  const preparation = provider.prepare(
    {
      metadata: { uid: POD_UID, name: 'web', namespace: 'shop' },
      spec: { containers: [{ name: 'main', image: 'app:1', command }] },
    },
    {
      node: 'fargate',
      environment: { main: { env: [], command: command.map((value) => ({ value, origin: 'template' })) } },
    },
  );
  if (!preparation.ok) throw new Error(JSON.stringify(preparation.problems));
  const request = await provider.provision(preparation.prepared, { podUid: POD_UID, attempt: 1, try: 1 }, signal);
  const result = await provider.launch(request, signal);
  if (result.kind !== 'started') throw new Error(`the pod did not start: ${result.message}`);
  const workloadId = result.workload.id;
  const end = performance.now() + START_WITHIN_MS;
  while ((await provider.describe([workloadId], signal)).workloads[0]?.phase !== 'running') {
    if (performance.now() > end) throw new Error(`the pod did not run within ${START_WITHIN_MS / 1_000} s`);
    await sleep(100);
  }
  return {
    exec: async (command, { input, onOutput }) => {
      let complaints = '';
      const streams = {
        ...(input && { stdin: Readable.from(input) }),
        stdout: taker(onOutput),
        stderr: taker((piece) => {
          complaints += piece.toString();
        }),
        sizes: noSizes(),
      };
      const exitCode = await provider.exec({ workloadId, container: 'main', command, tty: false }, streams, signal);
      if (exitCode !== 0) throw new Error(`${command.join(' ')} ended with ${exitCode}: ${complaints}`);
    },
    close: () => apis.close(),
  };
};

const taker = (take: (piece: Buffer) => void): Writable =>
  new Writable({
    write: (piece: Buffer, _encoding, callback) => {
      take(piece);
      callback();
    },
  });

async function* noSizes(): AsyncGenerator<never, void> {}
