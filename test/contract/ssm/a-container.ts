import { onTestFinished } from 'vitest';
import type { EmulatorOptions } from '../../../infra/local/aws/emulator.ts';
import { SystemClock } from '../../../src/adapters/system/system-clock.ts';
import { SystemRandom } from '../../../src/adapters/system/system-random.ts';
import { createAwsApis } from '../../../src/providers/fargate/aws/clients.ts';
import { FargateExec } from '../../../src/providers/fargate/exec/fargate-exec.ts';
import { TaskReader } from '../../../src/providers/fargate/tasks/task-reader.ts';
import { type ExecStreams, type ExecStreamsOptions, execStreams } from '../../support/exec-streams.ts';
import { RecordingLogger } from '../../support/recording-logger.ts';
import { type ExecWorld, startExecWorld } from '../ecs-emulator/exec-world.ts';

export interface ExecOptions extends ExecStreamsOptions {
  readonly signal?: AbortSignal;
  readonly workloadId?: string;
  readonly container?: string;
  /** What the caller does meanwhile. */
  readonly act?: (streams: ExecStreams) => Promise<void>;
}

export interface Ended {
  /** The exit code, or the error's class and message. */
  readonly exit: number | string;
  readonly out: Buffer;
  readonly err: Buffer;
}

export interface ContainerWorld {
  readonly world: ExecWorld;
  readonly fargate: FargateExec;
  readonly tasks: TaskReader;
  readonly logger: RecordingLogger;
  readonly run: (command: readonly string[], options?: ExecOptions) => Promise<Ended>;
}

/** The provider's exec over the real SDK, against the emulator with local processes. */
export const aContainer = async (options: Partial<EmulatorOptions> = {}): Promise<ContainerWorld> => {
  const world = await startExecWorld(options);
  const apis = createAwsApis({
    region: 'eu-central-1',
    endpoint: world.aws.url,
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  });
  onTestFinished(() => apis.close());
  const clusterArn = 'arn:aws:ecs:eu-central-1:123456789012:cluster/pods';
  const tasks = new TaskReader(apis.ecs, clusterArn);
  const logger = new RecordingLogger();
  // The client's time is real, whatever the emulator's is.
  const clock = new SystemClock();
  const fargate = new FargateExec({ ...apis, tasks, clusterArn, clock, random: new SystemRandom(), logger });
  return {
    world,
    fargate,
    tasks,
    logger,
    run: async (command, options = {}) => {
      const { signal = new AbortController().signal, tty = false, act } = options;
      const { workloadId = world.taskArn, container = 'app' } = options;
      const streams = execStreams(options);
      const running = fargate.exec({ workloadId, container, command, tty }, streams.streams, signal).catch(describe);
      await act?.(streams);
      return { exit: await running, out: streams.out(), err: streams.err() };
    },
  };
};

const describe = (error: unknown): string =>
  error instanceof Error ? `${error.name}: ${error.message}` : String(error);
