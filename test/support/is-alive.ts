import { spawnSync } from 'node:child_process';

/** Does the process run? A killed one may stay in the table until somebody waits for it. */
export const isAlive = (pid: number): boolean => {
  const state = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' }).stdout.trim();
  return state !== '' && !state.startsWith('Z');
};
