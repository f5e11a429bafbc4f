import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { TargetPorts } from './target.ts';

export interface TargetProcess extends TargetPorts {
  /** Resident memory now, in bytes; `settled`: after garbage was collected. */
  rss(when: 'now' | 'settled'): Promise<number>;
  stop(): void;
}

export const startTarget = async (): Promise<TargetProcess> => {
  const child = fork(new URL('./target.ts', import.meta.url));
  const [ports] = (await once(child, 'message')) as [TargetPorts];
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
