import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { svk } from './run/svk-run.ts';

it('says its version', async () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  expect((await svk(['version'])).out).toBe(
    `svk ${version}, Node ${process.version}, ${process.platform}/${process.arch}\n`,
  );
  expect(JSON.parse((await svk(['version', '-o', 'json'])).out)).toEqual({
    version,
    node: process.version,
    platform: `${process.platform}/${process.arch}`,
  });
});

it.each([
  { args: ['providers'], out: 'fargate\nmock\nweb\n', code: 0 },
  { args: ['providers', '-o', 'json'], out: '["fargate","mock","web"]\n', code: 0 },
  { args: ['providers', 'mock'], out: 'mock\n', code: 0 },
  { args: ['providers', 'mock', '--output', 'json'], out: '"mock"\n', code: 0 },
  { args: ['providers', 'nope'], out: '', code: 1 },
  { args: ['providers', 'a', 'b'], out: '', code: 2 },
  { args: ['providers', '-o', 'xml'], out: '', code: 2 },
  { args: ['bogus'], out: '', code: 2 },
  { args: ['--log-level', 'loud', 'providers', 'mock'], out: '', code: 2 },
  { args: ['providers', 'mock', '--log-level', 'constructor'], out: '', code: 2 },
  { args: ['--log-level', 'Warning', 'providers', 'mock'], out: 'mock\n', code: 0 },
])('svk $args ends with $code', async ({ args, out, code }) => {
  expect(await svk(args)).toMatchObject({ out, code });
});

it('says what it does not know on standard error', async () => {
  expect((await svk(['providers', 'nope'])).err).toBe(
    'svk: there is no provider "nope": there are fargate, mock, web\n',
  );
  expect((await svk(['providerz'])).err).toMatch(/^svk: unknown command 'providerz'/);
});

it('groups its flags in the help', async () => {
  const { out, code } = await svk(['run', '--help']);
  expect(code).toBe(0);
  const groups = [...out.matchAll(/^(\S.*):$/gm)].map(([, group]) => group);
  expect(groups).toEqual([
    'Cluster',
    'Node',
    'Pods',
    'Kubelet API',
    'State',
    'Logs, metrics, traces',
    'Process',
    'Options',
  ]);
});

it('shows its commands without being asked for one', async () => {
  const { code, err } = await svk([]);
  expect(code).toBe(2);
  expect(err).toContain('svk: ');
});
