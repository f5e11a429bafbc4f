import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RUN_FLAGS } from '../../../src/cli/run/run-flags.ts';
import { svk } from './run/svk-run.ts';

describe('for bash', () => {
  let folder: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'svk-completion-'));
    writeFileSync(join(folder, 'svk.bash'), (await svk(['completion', 'bash'])).out);
    writeFileSync(join(folder, 'kubeconfig.yaml'), '');
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  /** What bash offers where the last of these words is being typed. */
  const offered = (...words: readonly string[]): readonly string[] => {
    const list = words.map((word) => `'${word}'`).join(' ');
    const script = `source ./svk.bash; COMP_WORDS=(${list}); COMP_CWORD=${words.length - 1}; _svk; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const out = execFileSync('bash', ['--norc', '-c', script], { cwd: folder, encoding: 'utf8' });
    return out.split('\n').filter((line) => line !== '');
  };

  it.each([
    { typed: ['svk', ''], offers: ['run', 'version', 'providers', 'completion', 'credentials'] },
    { typed: ['svk', 'ver'], offers: ['version'] },
    { typed: ['svk', 'providers', ''], offers: ['fargate', 'mock', 'web'] },
    { typed: ['svk', 'completion', 'z'], offers: ['zsh'] },
    { typed: ['svk', 'run', '--os', ''], offers: ['linux', 'windows'] },
    { typed: ['svk', 'run', '--state', 'd'], offers: ['dynamodb'] },
    { typed: ['svk', 'run', '--kubeconfig', 'kube'], offers: ['kubeconfig.yaml'] },
    { typed: ['svk', 'run', '--provider-con'], offers: ['--provider-config'] },
    { typed: ['svk', 'run', '--provider', ''], offers: ['fargate', 'mock', 'web'] },
    { typed: ['svk', '--log-level', 'd'], offers: ['debug'] },
    // As bash takes it apart.
    { typed: ['svk', 'run', '--state', '='], offers: ['memory', 'dynamodb'] },
    { typed: ['svk', 'run', '--state', '=', 'd'], offers: ['dynamodb'] },
    { typed: ['svk', 'credentials', 's'], offers: ['set'] },
    { typed: ['svk', '--log-level', 'debug', 'run', '--os', 'w'], offers: ['windows'] },
  ])('$typed', ({ typed, offers }) => {
    expect(offered(...typed)).toEqual(expect.arrayContaining([...offers]));
  });

  it('offers every flag that is shown, and none that is not', () => {
    const flags = offered('svk', 'run', '--');
    for (const { name, deprecated } of RUN_FLAGS)
      expect([name, flags.includes(`--${name}`)]).toEqual([name, deprecated === undefined]);
  });

  it('offers nothing where a free text is due', () => {
    expect(offered('svk', 'run', '--nodename', '')).toEqual([]);
    expect(offered('svk', 'run', '--nodename', '=')).toEqual([]);
  });
});

it.each(['zsh', 'fish'] as const)('%s gets all of it, too', async (shell) => {
  const { out, code } = await svk(['completion', shell]);
  expect(code).toBe(0);
  // What belongs to `svk run`: a function of zsh, conditions of fish.
  const begin = out.indexOf('_svk_run() {');
  const ofRun =
    shell === 'zsh'
      ? out.slice(begin, out.indexOf('\n}', begin))
      : out
          .split('\n')
          .filter((line) => line.includes('__fish_seen_subcommand_from run'))
          .join('\n');
  for (const { name, deprecated } of RUN_FLAGS) {
    const mark = shell === 'zsh' ? `--${name}[` : `-l ${name} `;
    expect([name, ofRun.includes(mark)]).toEqual([name, deprecated === undefined]);
  }
  expect(out).toContain('linux windows');
  // The shell itself where it is there.
  const { status, stderr, error } = spawnSync(shell, ['-n'], { input: out, encoding: 'utf8' });
  if (error === undefined) expect([status, stderr]).toEqual([0, '']);
});

it('knows three shells', async () => {
  const { code, err } = await svk(['completion', 'tcsh']);
  expect(code).toBe(2);
  expect(err).toBe('svk: the shell must be bash, zsh, fish, not "tcsh"\n');
});
