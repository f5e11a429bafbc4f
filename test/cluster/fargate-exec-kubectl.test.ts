import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ProcessRuntime } from '../../infra/local/runtimes/process/process-runtime.ts';
import { type ControlPlane, startControlPlane } from '../support/control-plane.ts';
import { isAlive } from '../support/is-alive.ts';
import { kubectlInTmux } from '../support/kubectl-in-tmux.ts';
import { waitFor } from '../support/local-cloud.ts';
import { SHELL_IN_TMUX, useShellInTmux } from '../support/shell-in-tmux.ts';
import { type SvkRun, startSvkRun } from '../support/svk-run.ts';
import { startTasks, type Tasks } from '../upstream-e2e/tasks.ts';

const NODE = 'fargate-exec';
const POD = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'box', namespace: 'default' },
  spec: {
    nodeName: NODE,
    terminationGracePeriodSeconds: 1,
    containers: [{ name: 'main', image: 'busybox', command: ['sleep', '3600'] }],
  },
};

let plane: ControlPlane;
let tasks: Tasks;
let svk: SvkRun;

interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

const kubectl = (args: readonly string[], input?: string): Promise<Ended> =>
  new Promise((resolve) => {
    const options = { env: { ...process.env, KUBECONFIG: plane.kubeconfig }, cwd: plane.folder };
    const child = execFile('kubectl', args, options, (_error, out, err) =>
      resolve({ code: child.exitCode ?? -1, out, err }),
    );
    child.stdin?.end(input);
  });

beforeAll(async () => {
  [plane, tasks] = await Promise.all([startControlPlane(), startTasks(NODE, { runtime: new ProcessRuntime() })]);
  svk = await startSvkRun(plane, {
    node: NODE,
    provider: 'fargate',
    config: tasks.settings,
    environment: { ...tasks.environment, SVK_TASK_ROLE_ARN: 'arn:aws:iam::123456789012:role/exec' },
  });
  const isReady = async (): Promise<boolean> => (await kubectl(['get', 'node', NODE])).out.includes(' Ready');
  await waitFor(isReady, { withinMs: 60_000, what: 'the node' });
  await kubectl(['apply', '--validate=false', '-f', '-'], JSON.stringify(POD));
  const isRunning = async (): Promise<boolean> => (await kubectl(['get', 'pod', 'box'])).out.includes('Running');
  await waitFor(isRunning, { withinMs: 90_000, what: 'the pod' });
});

afterAll(async () => {
  await kubectl(['delete', 'pod', 'box', '--now', '--wait=false']);
  await svk?.stop();
  await tasks?.close();
  await plane?.stop();
});

it('X-02, X-04, X-05: kubectl exec into a task, through the API server', async () => {
  const run = await kubectl(['exec', 'box', '--', 'sh', '-c', 'echo "a  b"; echo err >&2; exit 3']);
  expect([run.code, run.out, run.err.split('\n')[0]]).toEqual([3, 'a  b\n', 'err']);
  expect(await kubectl(['exec', '-i', 'box', '--', 'cat'], 'typed')).toMatchObject({ code: 0, out: 'typed' });
  const missing = await kubectl(['exec', 'box', '--', 'no-such-command']);
  expect(missing.code).not.toBe(0);
  expect(missing.err).toContain('executable file not found in $PATH');
});

it('kubectl exec -it is a terminal in tmux', async () => {
  await useShellInTmux(await kubectlInTmux(['exec', '-it', 'box', '--', ...SHELL_IN_TMUX], plane));
});

it('X-11 ends the shell of a tmux window that is closed', async () => {
  const command = ['sh', '-c', 'echo pid $$; sleep 300; true'];
  const window = await kubectlInTmux(['exec', '-it', 'box', '--', ...command], plane);
  const pid = Number(await window.shows(/^pid (\d+)$/m));
  expect(isAlive(pid)).toBe(true);
  await window.kill();
  await waitFor(() => !isAlive(pid), { what: 'the end of the process' });
});

it('kubectl cp carries five megabytes there and back', async () => {
  const [there, back] = [path.join(plane.folder, 'there.bin'), path.join(plane.folder, 'back.bin')];
  const remote = path.join(plane.folder, 'remote.bin');
  const bytes = randomBytes(5_000_000);
  writeFileSync(there, bytes);
  expect(await kubectl(['cp', there, `box:${remote}`])).toMatchObject({ code: 0 });
  expect(readFileSync(remote).equals(bytes)).toBe(true);
  expect(await kubectl(['cp', `box:${remote}`, back])).toMatchObject({ code: 0 });
  expect(readFileSync(back).equals(bytes)).toBe(true);
});
