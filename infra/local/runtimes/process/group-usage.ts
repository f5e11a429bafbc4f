import { readdir, readFile } from 'node:fs/promises';
import type { ContainerUsage } from '../runtime.ts';

/** Linux counts processor time in hundredths of a second on all machines this project runs on. */
const nanoSecondsPerTick = 10_000_000;
const pageBytes = 4096;

/**
 * What the processes of a group use: the processor time of those that live and of their children that were waited for, and
 * the memory they have in RAM. Undefined where there is no Linux to ask, or no such group.
 */
export const usageOfGroup = async (group: number): Promise<ContainerUsage | undefined> => {
  const members = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name));
  const all = await Promise.all(members.map(async (pid) => statOf(pid)));
  const own = all.filter((stat) => stat?.group === group);
  if (own.length === 0) return undefined;
  return {
    cpuNanoSeconds: own.reduce((sum, stat) => sum + (stat?.ticks ?? 0), 0) * nanoSecondsPerTick,
    memoryBytes: own.reduce((sum, stat) => sum + (stat?.pages ?? 0), 0) * pageBytes,
  };
};

interface ProcessStat {
  readonly group: number;
  readonly ticks: number;
  readonly pages: number;
}

/** proc(5), `/proc/PID/stat`. The command's name, in brackets, may hold anything. */
const statOf = async (pid: string): Promise<ProcessStat | undefined> => {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  const fields = text
    .slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  const [, , group, , , , , , , , , user, system, userOfChildren, systemOfChildren] = fields;
  const pages = fields[21];
  if (group === undefined || pages === undefined) return undefined;
  return {
    group,
    ticks: (user ?? 0) + (system ?? 0) + (userOfChildren ?? 0) + (systemOfChildren ?? 0),
    pages: Math.max(0, pages),
  };
};
