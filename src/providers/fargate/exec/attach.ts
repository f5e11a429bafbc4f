import { pipeline } from 'node:stream/promises';
import { InvalidError } from '../../../core/errors.ts';
import type { AttachQuery } from '../../../model/remote-query.ts';
import type { RemoteStreams } from '../../../ports/remote-streams.ts';
import { type LogDependencies, readLogs } from '../logs/read-logs.ts';

/** See `Provider.attach`: on Fargate the first process of a container is reached by its log alone. */
export const attachToLog = async (
  deps: LogDependencies,
  { workloadId, container }: AttachQuery,
  { stdin, stdout, stderr }: RemoteStreams,
  signal: AbortSignal,
): Promise<void> => {
  if (stdin !== undefined) throw new InvalidError(NO_INPUT);
  const log = readLogs(deps, { workloadId, container, follow: true, timestamps: false, tailLines: 0 }, signal);
  const output = stdout ?? stderr;
  if (output !== undefined) await pipeline(log, output, { signal, end: false });
};

const NO_INPUT =
  'attach: Fargate connects nothing to the standard input of a container: leave out -i (then its log is followed), or start a shell with kubectl exec';
