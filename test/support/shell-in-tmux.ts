import { expect } from 'vitest';
import type { TmuxWindow } from './tmux-window.ts';

/** What `kubectl exec` must start in the window for {@link useShellInTmux}. */
export const SHELL_IN_TMUX = ['env', 'PS1=ready> ', 'sh'] as const;

const PROMPT = /ready>\s*$/;

/**
 * What a person does with a shell of a container in a tmux window of 101 columns and 31 rows: looks from another terminal,
 * changes its size, splits the window, interrupts a program, detaches, interrupts one that writes without end, and leaves
 * with exit code 7.
 */
export const useShellInTmux = async (window: TmuxWindow): Promise<void> => {
  /** Typed ahead, a line would stand before the prompt and its output behind it. */
  const enter = async (line: string): Promise<void> => {
    await window.shows(PROMPT);
    await window.type(line);
  };
  await enter('echo "shell $$"; stty size');
  await window.shows(/^31 101$/m);
  const shell = await window.shows(/^shell (\d+)$/m);

  await enter(`sh -c 'trap "stty size" WINCH; echo wait$((1+1)); while :; do sleep 0.1; done'`);
  await window.shows(/^wait2$/m);
  const terminal = await window.attach(133, 40);
  try {
    await terminal.shows(/^40 133$/m);
    await terminal.resize(90, 25);
    await terminal.shows(/^25 90$/m);
    await window.split(9);
    await window.shows(/^9 90$/m);

    await terminal.press('C-c');
    await enter('echo "code $?, shell $$"');
    expect(await window.shows(/^code 130, shell (\d+)$/m)).toBe(shell);

    await terminal.press('C-b', 'd');
    expect(await terminal.exitCode()).toBe(0);
  } finally {
    await terminal.close();
  }
  await enter('yes');
  await window.shows(/^y$/m);
  await window.press('C-c');
  await enter('echo "flood $?"');
  await window.shows(/^flood 130$/m);

  await enter('echo "still $$"; exit 7');
  expect(await window.shows(/^still (\d+)$/m)).toBe(shell);
  expect(await window.exitCode()).toBe(7);
};
