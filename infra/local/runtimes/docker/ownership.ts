import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import * as z from 'zod/mini';
import type { EngineClient } from './engine-client.ts';
import { unlessGone } from './engine-error.ts';

/** The label on everything of ours; its value names the run, and the run names the process that owns it. */
export const runLabel = 'dev.svk.local';

/** Which machine's process made it: process ids mean nothing elsewhere. */
const machineLabel = 'dev.svk.local.machine';

/** Labels for whatever this run makes. */
export const labelsOf = (run: string): Readonly<Record<string, string>> => ({
  [runLabel]: run,
  [machineLabel]: hostname(),
});

/** A name for this run: process id, the moment that process started, and something unlike any other. */
export const newRun = (chance: string): string => `${process.pid}-${startOf(process.pid) ?? 0}-${chance}`;

/** True while the process that owns the run is alive; a later process of the same id is told apart by its start (Linux). */
const isAlive = (run: string): boolean => {
  const [pid = 0, started] = run.split('-').map(Number);
  try {
    process.kill(pid, 0);
  } catch (error) {
    // It is there, but belongs to somebody else.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
  const startedNow = startOf(pid);
  return startedNow === undefined || startedNow === started;
};

/** Clock ticks from the machine's start to the process's (proc(5), field 22); undefined where there is no /proc. */
const startOf = (pid: number): number | undefined => {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return Number(text.slice(text.lastIndexOf(')') + 2).split(' ')[19]);
  } catch {
    return undefined;
  }
};

const labels = z.nullish(z.record(z.string(), z.string()));
const containers = z.array(z.object({ Id: z.string(), Labels: labels }));
const networks = containers;
const images = containers;
const volumes = z.object({ Volumes: z.nullish(z.array(z.object({ Name: z.string(), Labels: labels }))) });

/** Removes all that runs left behind whose process is dead. Answers how many things that were. */
export const removeDeadRuns = (engine: EngineClient): Promise<number> =>
  removeRuns(engine, (run, machine) => machine === hostname() && !isAlive(run));

/** Removes all of one run, whatever its state. */
export const removeRun = (engine: EngineClient, run: string): Promise<number> =>
  removeRuns(engine, (candidate) => candidate === run);

const removeRuns = async (engine: EngineClient, chosen: (run: string, machine: string) => boolean): Promise<number> => {
  const filters = JSON.stringify({ label: [runLabel] });
  const isChosen = ({ Labels }: { readonly Labels?: Readonly<Record<string, string>> | null | undefined }): boolean =>
    chosen(Labels?.[runLabel] ?? '', Labels?.[machineLabel] ?? '');
  let removed = 0;
  const remove = async (paths: readonly string[], query: Readonly<Record<string, string>> = {}): Promise<void> => {
    // One after the other: an engine that removes a hundred containers at once answers nobody else.
    for (const path of paths) await unlessGone(engine.call('DELETE', path, { query }));
    removed += paths.length;
  };
  // Containers first: they hold the others.
  const found = z.parse(containers, await engine.call('GET', '/containers/json', { query: { all: '1', filters } }));
  await remove(
    found.filter(isChosen).map(({ Id }) => `/containers/${Id}`),
    { force: '1', v: '1' },
  );
  const kept = z.parse(volumes, await engine.call('GET', '/volumes', { query: { filters } }));
  await remove((kept.Volumes ?? []).filter(isChosen).map(({ Name }) => `/volumes/${Name}`));
  const bridges = z.parse(networks, await engine.call('GET', '/networks', { query: { filters } }));
  await remove(bridges.filter(isChosen).map(({ Id }) => `/networks/${Id}`));
  const pauses = z.parse(images, await engine.call('GET', '/images/json', { query: { filters } }));
  await remove(
    pauses.filter(isChosen).map(({ Id }) => `/images/${Id}`),
    { force: '1' },
  );
  return removed;
};
