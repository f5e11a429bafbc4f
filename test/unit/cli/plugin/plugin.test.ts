import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';

const folder = mkdtempSync(path.join(tmpdir(), 'svk-plugin-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const plugin = path.join(folder, 'kubectl-svk');
symlinkSync(path.resolve('src/cli/svk.mjs'), plugin);

const run = (...args: readonly string[]) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [plugin, ...args], {
    encoding: 'utf8',
    env: { ...process.env, KUBECONFIG: path.join(folder, 'none'), KUBERNETES_SERVICE_HOST: '' },
  });
  return { status, stdout, stderr };
};

describe('kubectl svk', () => {
  it('is the command by that name', () => {
    const { status, stdout } = run('--help');
    expect(status).toBe(0);
    for (const command of ['exec', 'logs', 'cp']) expect(stdout).toMatch(new RegExp(`^ {2}${command} `, 'm'));
  });

  it('leaves the words of the command alone', () => {
    const { status, stderr } = run('exec', 'web', '-n', 'shop', '--', 'ls', '--help', '-n');
    expect([status, stderr]).toEqual([3, expect.stringContaining('name a kubeconfig by --kubeconfig or KUBECONFIG')]);
  });

  it('takes its flags before and behind the pod, as kubectl does', () => {
    const { status, stderr } = run('exec', '-i', 'web', '--kubeconfig', '/no/such', '--', 'ls', '-l');
    expect([status, stderr]).toEqual([3, expect.stringContaining('kubeconfig /no/such is not there')]);
  });

  it.each([
    { args: ['cp', 'a', 'b'], message: 'one of a and b must be POD:PATH' },
    { args: ['cp', 'web:a', 'web:b'], message: 'one of web:a and web:b must be POD:PATH' },
    { args: ['exec', 'web'], message: "missing required argument 'command'" },
    { args: ['attach', 'web'], message: "unknown command 'attach'" },
  ])('refuses $args', ({ args, message }) => {
    const { status, stderr } = run(...args);
    expect(status).toBe(2);
    expect(stderr).toContain(message);
  });
});
