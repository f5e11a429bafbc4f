import { connect } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Clock } from '../../../core/clock.ts';
import { withDeadline } from '../../../core/deadline.ts';
import { NotFoundError, TransientError } from '../../../core/errors.ts';
import type { PortQuery } from '../../../model/remote-query.ts';
import type { TaskReader } from '../tasks/task-reader.ts';

const CONNECT_WITHIN_MS = 10_000;

/** See `Provider.connect`: dials the address of the task's network interface, as ECS reports it, never the pod's status. */
export const connectToPort = async (
  { tasks, clock }: { readonly tasks: TaskReader; readonly clock: Clock },
  { workloadId, port }: PortQuery,
  signal: AbortSignal,
): Promise<Duplex> => {
  const { workloads } = await tasks.describe([workloadId], signal);
  const [host] = workloads.filter(({ phase }) => phase === 'running').flatMap(({ ips }) => ips);
  if (host === undefined) throw new NotFoundError('the task of the pod does not run, or has no address');
  return withDeadline(clock, { ms: CONNECT_WITHIN_MS, what: `port ${port} of ${host}`, signal }, (deadline) =>
    dial(host, port, deadline),
  );
};

const dial = (host: string, port: number, signal: AbortSignal): Promise<Duplex> =>
  new Promise((resolve, reject) => {
    const socket = connect({ host, port, allowHalfOpen: true, noDelay: true });
    const onAbort = (): void => {
      socket.destroy();
      reject(new TransientError(`port ${port} of ${host}: given up`));
    };
    const fail = (cause: Error): void => {
      signal.removeEventListener('abort', onAbort);
      reject(new TransientError(`port ${port} of ${host}: ${cause.message}`, { cause }));
    };
    signal.addEventListener('abort', onAbort, { once: true });
    socket.once('error', fail);
    socket.once('connect', () => {
      socket.removeListener('error', fail);
      signal.removeEventListener('abort', onAbort);
      resolve(socket);
    });
  });
