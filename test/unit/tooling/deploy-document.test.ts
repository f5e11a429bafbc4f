import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { ALL_CHECKS } from '../../../src/cli/doctor/all-checks.ts';

const read = (file: string): string => readFileSync(file, 'utf8');
const deploy = read('docs/deploy.md');

describe('docs/deploy.md', () => {
  it('names every parameter of serverless.yml, and none besides', () => {
    const { params } = parse(read('serverless.yml'), { logLevel: 'silent' }) as {
      readonly params: { readonly default: Readonly<Record<string, unknown>> };
    };
    const table = deploy.slice(deploy.indexOf('| parameter |'), deploy.indexOf('### Profiles'));
    const named = [...table.matchAll(/^\| (`[^|]*) \|/gm)].flatMap(([, cell = '']) => cell.match(/\w+/g) ?? []);
    // Of the default profile, and shown in the first steps.
    expect([...named, 'subnets', 'securityGroups'].toSorted()).toEqual(Object.keys(params.default).toSorted());
  });

  it('names every check of svk doctor', () => {
    const table = deploy.slice(deploy.indexOf('| check |'), deploy.indexOf('`--only'));
    const named = [...table.matchAll(/^\| `([\w-]+)` \|/gm)].map(([, name]) => name);
    expect(named).toEqual(ALL_CHECKS.map(({ name }) => name));
  });
});

describe('links between the pages', () => {
  it.each(['README.md', 'docs/deploy.md', 'docs/eks.md', 'docs/metrics.md', 'docs/cli.md'])('%s', (page) => {
    for (const [, target = '', anchor] of read(page).matchAll(/\]\((?!https?:)([^)#\s]*)(#[^)\s]*)?\)/g)) {
      const file = target === '' ? page : join(dirname(page), target);
      expect(existsSync(file), `${page} -> ${target}`).toBe(true);
      if (anchor === undefined || !file.endsWith('.md')) continue;
      const headings = [...read(file).matchAll(/^#+ (.*)$/gm)].map(([, title = '']) => slug(title));
      expect(headings).toContain(anchor.slice(1));
    }
  });
});

/** As GitHub makes an anchor of a heading. */
const slug = (title: string): string =>
  title
    .toLowerCase()
    .replaceAll(/[^\w\- ]/g, '')
    .replaceAll(' ', '-');
