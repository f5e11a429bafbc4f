import { onTestFinished } from 'vitest';
import { type KubectlOptions, kubectlEnvironment } from './kubectl-process.ts';
import { TmuxWindow } from './tmux-window.ts';

/** kubectl in a tmux window of 101 columns and 31 rows, which is closed with the test. */
export const kubectlInTmux = async (args: readonly string[], options: KubectlOptions): Promise<TmuxWindow> => {
  const window = await TmuxWindow.open(['kubectl', ...args], {
    columns: 101,
    rows: 31,
    env: kubectlEnvironment(options),
  });
  onTestFinished(() => window.close());
  return window;
};
