import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import * as z from 'zod/mini';
import type { EngineClient } from './engine-client.ts';

/** What a command started by the engine's exec carries, so that it can be found inside its container. */
export interface ExecMark {
  readonly text: string;
  readonly environment: Readonly<Record<string, string>>;
}

export const newExecMark = (): ExecMark => {
  const text = randomUUID();
  return { text, environment: { SVK_EXEC_MARK: text } };
};

interface Target {
  readonly containerId: string;
  readonly execId: string;
  readonly mark: ExecMark;
}

const created = z.object({ Id: z.string() });
const execution = z.object({ Pid: z.int() });

/** The kernel's own shell is all that is needed of the image. */
const killMarked = [
  '/bin/sh',
  '-c',
  'for p in /proc/[0-9]*; do grep -qs "SVK_EXEC_MARK=$1" "$p/environ" && kill -9 "${p#/proc/}"; done',
  'kill',
];

/**
 * SIGKILL to what was started by exec, for which the engine has no call: from this machine where the engine runs here and we
 * may, else from inside, which needs a shell and grep in the image. Never rejects.
 */
export const killExec = async (engine: EngineClient, target: Target): Promise<void> => {
  try {
    const { Pid } = z.parse(execution, await engine.call('GET', `/exec/${target.execId}/json`));
    if (await killHere(Pid, target.containerId)) return;
    const body = { Cmd: [...killMarked, target.mark.text], User: '0:0' };
    const { Id } = z.parse(created, await engine.call('POST', `/containers/${target.containerId}/exec`, { body }));
    await engine.call('POST', `/exec/${Id}/start`, { body: { Detach: true, Tty: false } });
  } catch {
    // The engine or the container is gone, and the command with it.
  }
};

/** False where the process is not to be seen or not ours to kill. Its control group shows whose it is. */
const killHere = async (pid: number, containerId: string): Promise<boolean> => {
  try {
    if (!(await readFile(`/proc/${pid}/cgroup`, 'utf8')).includes(containerId)) return false;
    process.kill(pid, 'SIGKILL');
    return true;
  } catch {
    return false;
  }
};
