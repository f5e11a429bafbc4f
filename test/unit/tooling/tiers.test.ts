import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const tiers = resolve(import.meta.dirname, '../../../.ci/tiers.sh');

/** Runs lines of bash that call the tiers' functions, then closes; `code` is that of close_tiers. */
const run = (...lines: readonly string[]): { code: number | null; lines: readonly string[] } => {
  const folder = mkdtempSync(join(tmpdir(), 'svk-tiers-'));
  const script = ['set -uo pipefail', `. "${tiers}"`, `tier_output="${folder}/output"`, ...lines, 'close_tiers'].join(
    '\n',
  );
  const { status, stdout } = spawnSync('bash', ['-c', script], { encoding: 'utf8', input: 'standard input' });
  rmSync(folder, { recursive: true, force: true });
  return { code: status, lines: stdout.trimEnd().split('\n') };
};
const printing = (text: string, code = 0): string => `bash -c 'printf "${text}"; exit ${code}'`;

describe('.ci/tiers.sh', () => {
  it('adds up the closing lines of the tiers and succeeds', () => {
    const { code, lines } = run(
      `tests unit 5 ${printing('working\\n3 passed, 0 failed, 1 skipped\\n')}`,
      `tests cluster 5 ${printing('20 passed, 0 failed, 2 skipped\\n')}`,
      `step package 5 ${printing('done\\n')}`,
    );
    expect(lines.at(-1)).toBe('23 passed, 0 failed, 3 skipped');
    expect(code).toBe(0);
  });

  it('shows one closing line only: the sum', () => {
    const { lines } = run(`tests unit 5 ${printing('3 passed, 0 failed, 1 skipped\\n')}`);
    expect(lines.filter((line) => /^([^ ]+: )?\d+ passed, \d+ failed/.test(line))).toEqual([
      '3 passed, 0 failed, 1 skipped',
    ]);
    expect(lines).toContain('---- unit closes with 3 passed, 0 failed, 1 skipped');
  });

  it('takes the last closing line where a tier prints several', () => {
    const { lines } = run(
      `tests unit 5 ${printing('9 passed, 9 failed, 9 skipped\\n1 passed, 0 failed, 0 skipped\\nbye\\n')}`,
    );
    expect(lines.at(-1)).toBe('1 passed, 0 failed, 0 skipped');
  });

  it('goes on after a tier that fails, names it and fails', () => {
    const { code, lines } = run(
      `tests unit 5 ${printing('3 passed, 2 failed, 0 skipped\\n', 1)}`,
      `tests cluster 5 ${printing('4 passed, 0 failed, 0 skipped\\n')}`,
    );
    expect(lines.at(-1)).toBe('7 passed, 2 failed, 0 skipped');
    expect(lines).toContain('failed: unit');
    expect(code).toBe(1);
  });

  it('tells at the end which tests needed a second attempt, and fails for none of them', () => {
    const second = 'needed a second attempt: a.test.ts > it works: Error: too slow';
    const { code, lines } = run(
      `tests unit 5 ${printing(`${second}\\n1 passed, 0 failed, 0 skipped\\n`)}`,
      `tests cluster 5 ${printing('4 passed, 0 failed, 0 skipped\\n')}`,
    );
    expect(lines.slice(-3)).toEqual([second, '', '5 passed, 0 failed, 0 skipped']);
    expect(code).toBe(0);
  });

  it('tells again at the end what failed, where a long record is still read', () => {
    const vitest =
      'x good\\n--- Failed Tests 1 ---\\n FAIL  a.test.ts > it works\\nError: no\\n Test Files  1 failed\\n';
    const { lines } = run(
      `tests unit 5 ${printing(`${vitest}1 passed, 1 failed, 0 skipped\\n`, 1)}`,
      `tests cluster 5 ${printing('4 passed, 0 failed, 0 skipped\\n')}`,
      `step check 5 ${printing('bad types\\n', 3)}`,
    );
    expect(lines.slice(lines.indexOf('---- unit'))).toEqual([
      '---- unit',
      '--- Failed Tests 1 ---',
      ' FAIL  a.test.ts > it works',
      'Error: no',
      ' Test Files  1 failed',
      '---- check: exit code 3',
      'bad types',
      '',
      'failed: unit check',
      '',
      '5 passed, 2 failed, 0 skipped',
    ]);
  });

  it.each([
    { what: 'a test tier without totals', line: `tests unit 5 ${printing('no tool\\n', 0)}` },
    { what: 'a test tier that cannot start', line: 'tests unit 5 /no/such/program' },
    {
      what: 'a test tier whose totals are no line of their own',
      line: `tests unit 5 ${printing('so: 3 passed, 0 failed, 0 skipped\\n')}`,
    },
    { what: 'a step with a bad exit code', line: `step check 5 ${printing('', 3)}` },
    { what: 'a tier that takes too long', line: 'tests unit 1 sleep 30' },
  ])('counts $what as one failure', ({ line }) => {
    const { code, lines } = run(line);
    expect(lines.at(-1)).toBe('0 passed, 1 failed, 0 skipped');
    expect(code).toBe(1);
  });

  it('counts a bad exit code with nothing failed as one failure', () => {
    const { code, lines } = run(`tests unit 5 ${printing('3 passed, 0 failed, 0 skipped\\n', 1)}`);
    expect(lines.at(-1)).toBe('3 passed, 1 failed, 0 skipped');
    expect(code).toBe(1);
  });

  it('does not wait for a process that a tier leaves behind, and ends it', () => {
    const { lines } = run(
      `tests unit 5 bash -c 'sleep 60 & echo "left $!"; echo "1 passed, 0 failed, 0 skipped"'`,
      // A killed process stays a zombie (Z) until init takes notice.
      'grep -E "^State:.[^Z]" "/proc/$(grep -oE "left [0-9]+" "$tier_output" | cut -c 6-)/status" && echo alive',
    );
    expect(lines.at(-1)).toBe('1 passed, 0 failed, 0 skipped');
    expect(lines).not.toContain('alive');
  });

  it('adds a tier that ran aside, however it ended', () => {
    const beside = (text: string): readonly string[] => [
      `aside "$tier_output.aside" bash -c 'sleep 0.3; printf "${text}"'`,
      `tests unit 5 ${printing('3 passed, 0 failed, 0 skipped\n')}`,
      'tests beside 5 bash -c show_aside',
    ];
    const good = run(...beside('work\n1 passed, 0 failed, 0 skipped\n'));
    expect([good.lines.at(-1), good.code]).toEqual(['4 passed, 0 failed, 0 skipped', 0]);
    const bad = run(...beside('it fell over\n'));
    expect([bad.lines.at(-1), bad.code]).toEqual(['3 passed, 1 failed, 0 skipped', 1]);
  });

  it('ends what runs aside', () => {
    const { lines } = run(
      `aside "$tier_output.aside" bash -c 'sleep 60 & wait'`,
      'sleep 0.5; end_aside; sleep 0.2',
      // A killed process stays a zombie (Z) until init takes notice.
      'ps -e -o pgid=,stat= | grep -E "^ *$aside_pid +[^Z]" && echo alive',
    );
    expect(lines).not.toContain('alive');
  });

  it('gives a tier no input to wait for', () => {
    const { lines } = run('tests unit 5 bash -c \'echo "$(wc -c) passed, 0 failed, 0 skipped"\'');
    expect(lines.at(-1)).toBe('0 passed, 0 failed, 0 skipped');
  });
});
