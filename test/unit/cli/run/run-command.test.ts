import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { StartupTimeoutError } from '../../../../src/app/process/run-process.ts';
import { PermanentError, TransientError } from '../../../../src/core/errors.ts';
import { run, svk } from './svk-run.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'svk-cli-'));
});
afterEach(() => rm(folder, { recursive: true }));

describe('--provider-config', () => {
  it.each([
    ['config.json', '{"n1":{"cpu":"2"}}'],
    ['config.yaml', 'n1:\n  cpu: "2"\n'],
  ])('%s', async (name, text) => {
    const file = path.join(folder, name);
    await writeFile(file, text);
    expect((await run(['--provider-config', file])).request?.document).toEqual({ n1: { cpu: '2' } });
  });

  it('may be the text of SVK_SETTINGS, where no file is named', async () => {
    const environment = { SVK_SETTINGS: '{"n1":{"cpu":"2"}}' };
    expect((await run([], environment)).request?.document).toEqual({ n1: { cpu: '2' } });
    const file = path.join(folder, 'config.json');
    await writeFile(file, '{"n1":{"cpu":"3"}}');
    expect((await run(['--provider-config', file], environment)).request?.document).toEqual({ n1: { cpu: '3' } });
    expect((await run([], { SVK_SETTINGS: 'a: [1' })).err).toContain('SVK_SETTINGS is neither YAML nor JSON');
  });

  it('must be there', async () => {
    const { code, err } = await run(['--provider-config', '/nowhere']);
    expect(code).toBe(3);
    expect(err).toContain('svk: --provider-config /nowhere cannot be read; check the name and its permissions');
  });

  it('must be YAML or JSON', async () => {
    const file = path.join(folder, 'config.yaml');
    await writeFile(file, 'a: [1');
    const { code, err } = await run(['--provider-config', file]);
    expect(code).toBe(3);
    expect(err).toContain(`--provider-config ${file} is neither YAML nor JSON`);
  });
});

describe('how it ends', () => {
  it.each([
    ['0 when all is done', () => Promise.resolve(), 0],
    ['1 when something went wrong', () => Promise.reject(new TransientError('no answer')), 1],
    ['1 for a bug', () => Promise.reject(new TypeError('bug')), 1],
    ['3 when the operator must mend something', () => Promise.reject(new PermanentError('no rights')), 3],
    ['4 when it was not ready in time', () => Promise.reject(new StartupTimeoutError('late')), 4],
  ])('%s', async (_, ends, code) => {
    expect((await svk(['run', '--provider', 'mock'], {}, ends)).code).toBe(code);
  });

  it('with the stack of a bug only', async () => {
    const refused = await svk(['run', '--provider', 'mock'], {}, () => Promise.reject(new PermanentError('no rights')));
    expect(refused.err).toBe('svk: no rights\n');
    const bug = await svk(['run', '--provider', 'mock'], {}, () => Promise.reject(new TypeError('bug')));
    expect(bug.err).toMatch(/^svk: TypeError: bug\n {4}at /);
  });
});

describe('the log', () => {
  const logged = (args: readonly string[], before: readonly string[] = []) =>
    svk([...before, 'run', '--provider', 'mock', ...args], {}, async ({ logger }) => {
      logger.debug('looked');
      logger.info('ready', { node: 'n1', token: 'hunter2', pod: { name: 'a b' } });
      logger.error('broken', { error: new PermanentError('no rights') });
    });

  it('is key=value by default', async () => {
    const { err } = await logged([]);
    const [ready, broken] = err.replaceAll(/time=\S+ /g, '').split('\n');
    expect(ready).toBe(
      'level=info msg=ready node=n1 token=[redacted] pod="{\\"name\\":\\"a b\\"}"'.replace(
        '[redacted]',
        '"[redacted]"',
      ),
    );
    expect(broken).toContain('level=error msg=broken error=');
  });

  it('is JSON where that is wanted', async () => {
    const { err } = await logged(['--log-format', 'json']);
    const [ready] = err.split('\n').map((line) => (line === '' ? {} : (JSON.parse(line) as object)));
    expect(ready).toMatchObject({ level: 'info', msg: 'ready', node: 'n1', token: '[redacted]', pod: { name: 'a b' } });
  });

  it.each([
    [['--log-level', 'debug'], [], 3],
    [[], [], 2],
    [['--log-level', 'error'], [], 1],
    [[], ['--klog.v=4'], 3 + 1],
    [['--log-level', 'error'], ['--klog.v=4'], 1],
  ])('shows with %j and %j %d lines', async (before, args, lines) => {
    const { err } = await logged(args, before);
    expect(err.trim().split('\n')).toHaveLength(lines);
  });

  it('knows its levels', async () => {
    const { code, err } = await logged([], ['--log-level', 'loud']);
    expect(code).toBe(2);
    expect(err).toContain('svk: --log-level must be one of panic, fatal');
  });
});
