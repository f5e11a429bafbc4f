import { spawnSync } from 'node:child_process';

/** Whether kubectl is on the PATH. Where CI runs it must be: a test that can't run there is a failure. */
export const hasKubectl = (): boolean => {
  const found = spawnSync('kubectl', ['version', '--client'], { stdio: 'ignore' }).status === 0;
  if (!found && process.env['CI'] === 'true') throw new Error('kubectl is not on the PATH: install it');
  if (!found) console.warn('kubectl is not on the PATH: tests that drive it are skipped');
  return found;
};
