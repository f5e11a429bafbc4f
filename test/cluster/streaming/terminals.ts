import { spawn as spawnInTerminal } from '@lydell/node-pty';
import { expect, it } from 'vitest';
import { isAlive } from '../../support/is-alive.ts';
import { kubectlInTmux } from '../../support/kubectl-in-tmux.ts';
import { kubectlEnvironment } from '../../support/kubectl-process.ts';
import { SHELL_IN_TMUX, useShellInTmux } from '../../support/shell-in-tmux.ts';
import type { StreamingWorld } from '../../support/streaming/streaming-world.ts';
import { podOf, type Way } from './way.ts';

/** kubectl exec -it. */
export const terminalTests = (world: () => StreamingWorld, way: Way): void => {
  const { client, node, command } = way;
  const pod = podOf(way);
  const inTmux = (args: readonly string[]) =>
    kubectlInTmux(args, { kubeconfig: world().plane.kubeconfig, transport: client });

  it('has a terminal that is resized, typed into and interrupted', async () => {
    const script =
      'stty size; trap "stty size" WINCH; trap "echo bye; exit 9" INT; read word; echo "<$word>"; while :; do sleep 0.1; done';
    const terminal = spawnInTerminal('kubectl', ['exec', '-it', pod, '--', 'sh', '-c', script], {
      cols: 101,
      rows: 31,
      env: kubectlEnvironment({ kubeconfig: world().plane.kubeconfig, transport: client }),
    });
    let screen = '';
    terminal.onData((data) => {
      screen += data;
    });
    const exited = new Promise<number>((resolve) => terminal.onExit(({ exitCode }) => resolve(exitCode)));
    const shows = (what: string): Promise<void> => world().until(`${what} in ${screen}`, () => screen.includes(what));
    await shows('31 101');
    terminal.write('word\r');
    await shows('<word>');
    terminal.resize(133, 40);
    await shows('40 133');
    terminal.write('\u0003');
    expect(await exited).toBe(9);
    expect(screen).toContain('bye');
    expect(await node().sessions.next()).toMatchObject([{ ...command, result: 'exit 9' }]);
  });

  it('is a terminal in tmux: seen from others, resized, split, interrupted, detached, and left', async () => {
    const window = await inTmux(['exec', '-it', pod, '--', ...SHELL_IN_TMUX]);
    await useShellInTmux(window);
    expect(await node().sessions.next()).toMatchObject([{ ...command, result: 'exit 7' }]);
  });

  it('X-11 ends the shell of a tmux window that is closed', async () => {
    const window = await inTmux(['exec', '-it', pod, '--', 'sh', '-c', 'echo pid $$; sleep 300; true']);
    const pid = Number(await window.shows(/^pid (\d+)$/m));
    expect(isAlive(pid)).toBe(true);
    await window.kill();
    await world().until('the process is gone', () => !isAlive(pid));
    expect(await node().sessions.next()).toMatchObject([{ ...command, result: 'cut: the client has gone' }]);
  });
};
