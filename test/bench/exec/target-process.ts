import { fork } from 'node:child_process';
import { once } from 'node:events';

/** The server side of a benchmark, in a process of its own. */
export interface TargetProcess {
  /** Resident memory now, in bytes; `settled`: after garbage was collected. */
  rss(when: 'now' | 'settled'): Promise<number>;
  stop(): void;
}

/** Starts the module `file`, whose first message tells its ports. */
export const startTarget = async <Ports>(file: URL): Promise<Ports & TargetProcess> => {
  const child = fork(file);
  const [ports] = (await once(child, 'message')) as [Ports];
  return {
    ...ports,
    rss: async (when) => {
      child.send(when);
      const [rss] = (await once(child, 'message')) as [number];
      return rss;
    },
    stop: () => child.disconnect(),
  };
};
