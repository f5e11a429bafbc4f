import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { connect } from 'node:tls';
import { DisableKeyCommand } from '@aws-sdk/client-kms';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ProcessRuntime } from '../../infra/local/runtimes/process/process-runtime.ts';
import { type ControlPlane, startControlPlane } from '../support/control-plane.ts';
import { encryptSessions } from '../support/exec-key.ts';
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

const run = (program: string, args: readonly string[], input?: string): Promise<Ended> =>
  new Promise((resolve) => {
    const options = { env: { ...process.env, KUBECONFIG: plane.kubeconfig }, cwd: plane.folder };
    const child = execFile(program, args, options, (_error, out, err) =>
      resolve({ code: child.exitCode ?? -1, out, err }),
    );
    child.stdin?.end(input);
  });

const kubectl = (args: readonly string[], input?: string): Promise<Ended> => run('kubectl', args, input);

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
  const failed = await kubectl(['exec', 'box', '--', 'sh', '-c', 'echo "a  b"; echo err >&2; exit 3']);
  expect([failed.code, failed.out, failed.err.split('\n')[0]]).toEqual([3, 'a  b\n', 'err']);
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

it('all of it is encrypted where the ECS cluster names a KMS key, also for kubectl svk, which knows nothing of AWS', async () => {
  const key = await encryptSessions(tasks.environment['AWS_ENDPOINT_URL_ECS'] ?? '', 'e2e');
  const script = 'echo out; cat; echo err >&2; exit 3';
  const ended = await kubectl(['exec', '-i', 'box', '--', 'sh', '-c', script], 'typed');
  expect([ended.code, ended.out, ended.err.split('\n')[0]]).toEqual([3, 'out\ntyped', 'err']);

  const plugin = path.join(plane.folder, 'kubectl-svk');
  symlinkSync(path.resolve('src/cli/svk.mjs'), plugin);
  await kubectl([
    'create',
    'clusterrolebinding',
    'svk-user',
    '--clusterrole=cluster-admin',
    '--serviceaccount=default:user',
  ]);
  await kubectl(['create', 'serviceaccount', 'user']);
  const { out: token } = await kubectl(['create', 'token', 'user']);
  const { out: port } = await kubectl([
    'get',
    'node',
    NODE,
    '-o',
    'jsonpath={.status.daemonEndpoints.kubeletEndpoint.Port}',
  ]);
  const flags = [`--token=${token.trim()}`, `--certificate-authority=${await certificateOf(Number(port))}`];
  const own = await run(process.execPath, [plugin, 'exec', '-i', ...flags, 'box', '--', 'sh', '-c', script], 'typed');
  expect([own.code, own.out, own.err]).toEqual([3, 'out\ntyped', 'err\n']);
  expect(readFileSync(svk.log, 'utf8')).toMatch(
    new RegExp(`session key given.*user=system:serviceaccount:default:user.*keyId=${key.arn}`),
  );

  await key.kms.send(new DisableKeyCommand({ KeyId: key.arn }));
  for (const refused of [
    await kubectl(['exec', 'box', '--', 'true']),
    await run(process.execPath, [plugin, 'exec', ...flags, 'box', '--', 'true']),
  ]) {
    expect(refused.code).not.toBe(0);
    expect(refused.err).toContain(
      `the exec session is encrypted with the KMS key ${key.arn}, of which no data key can be made`,
    );
  }
  key.close();
});

/** A file with the certificate that the node serves with. */
const certificateOf = async (port: number): Promise<string> => {
  const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  const { raw } = socket.getPeerCertificate();
  socket.destroy();
  const file = path.join(plane.folder, 'node.pem');
  writeFileSync(file, `-----BEGIN CERTIFICATE-----\n${raw.toString('base64')}\n-----END CERTIFICATE-----\n`);
  return file;
};
