import { describe, expect, it } from 'vitest';
import { type Ended, inProject } from './temporary-project.ts';

const CONFIGURATION = ['biome.json', '.oxlintrc.json', 'infra/lint'];
const formatted = (expression: string): string => `export const value = (): unknown => ${expression};\n`;

describe('the check for ambient time and chance', () => {
  const check = (file: string, expression: string): Ended =>
    inProject({ [file]: formatted(expression) }, CONFIGURATION, (project) =>
      project.run('biome', ['check', '--error-on-warnings', file]),
    );

  it.each([
    'Date.now()',
    'new Date()',
    'Date()',
    'Math.random()',
    'performance.now()',
    'setTimeout(() => undefined, 5)',
    'setInterval(() => undefined, 5)',
    'setImmediate(() => undefined)',
    'globalThis.setTimeout(() => undefined, 5)',
  ])('refuses %s in src, but not in the system adapter', (expression) => {
    const refused = check('src/controllers/node/lease.ts', expression);
    expect(refused.output).toContain('injected Clock or Random');
    expect(refused.code).toBe(1);
    expect(check('src/adapters/system/clock.ts', expression)).toMatchObject({ code: 0 });
  });

  it('lets pass a date made of a given time', () => {
    expect(check('src/controllers/node/lease.ts', "new Date('2030-01-01T00:00:00Z')")).toMatchObject({ code: 0 });
  });

  it('refuses process.env in src, but not in the command', () => {
    expect(check('src/app/app.ts', 'process.env')).toMatchObject({ code: 1 });
    expect(check('src/cli/main.ts', 'process.env')).toMatchObject({ code: 0 });
  });
});

describe('the linter', () => {
  const lint = (text: string): string =>
    inProject(
      { 'src/model/breach.ts': text },
      CONFIGURATION,
      (project) => project.run('oxlint', ['--type-aware', '--deny-warnings', 'src']).output,
    );

  it.each([
    ['no-floating-promises', 'export function f(): void {\n  Promise.resolve(1);\n}\n'],
    [
      'no-misused-promises',
      'export const f = (list: readonly number[]): void =>\n  list.forEach(async (n) => {\n    await Promise.resolve(n);\n  });\n',
    ],
    ['no-explicit-any', 'export const f = (value: any): unknown => value;\n'],
    ['no-non-null-assertion', 'export const f = (list: readonly number[]): number => list[0]!;\n'],
    ['no-default-export', 'export default 1;\n'],
    ['no-unsafe-type-assertion', 'export const f = (value: unknown): string => value as string;\n'],
    ['no-unsafe-return', 'export const f = (text: string): string => JSON.parse(text);\n'],
    ['explicit-module-boundary-types', 'export const f = (value: number) => value;\n'],
    ['consistent-type-imports', "import { Clock } from '../core/clock.ts';\nexport type C = Clock;\n"],
    [
      'switch-exhaustiveness-check',
      "export function f(kind: 'a' | 'b'): number {\n  switch (kind) {\n    case 'a':\n      return 1;\n  }\n  return 0;\n}\n",
    ],
    ['no-restricted-imports', "import { setTimeout as wait } from 'node:timers/promises';\nexport const f = wait;\n"],
    ['no-console', "export const f = (): void => console.log('x');\n"],
    [
      'max-lines',
      'export const a = 1;\n'.replace('a', 'a0') +
        Array.from({ length: 300 }, (_, i) => `export const b${i} = 1;\n`).join(''),
    ],
  ])('applies %s', (rule, text) => {
    expect(lint(text)).toContain(`(${rule})`);
  });

  it('lets pass a switch that ends with `satisfies never`', () => {
    const text =
      "export function f(kind: 'a' | 'b'): number {\n  switch (kind) {\n    case 'a':\n      return 1;\n    case 'b':\n      return 2;\n    default:\n      throw new Error(`no such kind: ${String(kind satisfies never)}`);\n  }\n}\n";
    expect(lint(text)).toContain('Found 0 warnings and 0 errors');
  });
});
