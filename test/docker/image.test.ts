import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { type TarMember, tarOf } from '../../infra/local/runtimes/docker/tar.ts';
import { engine, hasEngine } from './support/engine.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const BUNDLE = path.join(ROOT, '.build/svk');
const BASE = 'svk-test/node:24';
const IMAGE = 'svk-test/svk:1';

/** This Node with the libraries it loads, in the place of the public base: no registry is asked. */
const makeBase = async (): Promise<void> => {
  const libraries = [...execFileSync('ldd', [process.execPath], { encoding: 'utf8' }).matchAll(/(\/\S+) \(0x/g)].map(
    ([, file = '']) => file,
  );
  const members: TarMember[] = [
    ...libraries.map((file) => ({
      kind: 'file' as const,
      path: file.slice(1),
      mode: 0o755,
      content: readFileSync(file),
    })),
    { kind: 'file', path: 'usr/local/bin/node', mode: 0o755, content: readFileSync(process.execPath) },
  ];
  const [repo = '', tag = ''] = BASE.split(':');
  const query = { fromSrc: '-', repo, tag, changes: 'ENV PATH=/usr/local/bin:/usr/bin:/bin' };
  await engine().call('POST', '/images/create', { query, body: tarOf(members) });
};

/**
 * The project's Dockerfile, whose first stage needs a registry of packages: what that stage makes is put there instead. All
 * that follows is as it is.
 */
const dockerfile = (): string => {
  const stages = readFileSync(path.join(ROOT, 'Dockerfile'), 'utf8').split(/^(?=FROM )/m);
  expect(stages).toHaveLength(3);
  const [head = '', build = '', last = ''] = stages;
  expect(build).toMatch(/^FROM \$\{BUILD_IMAGE\} AS build\n[^]*\nRUN npm ci\n[^]*\nRUN node scripts\/build-cli\.ts\n/);
  return `${head}FROM scratch AS build\nCOPY bundle /build/.build/svk\n${last}`;
};

const buildImage = async (): Promise<string> => {
  execFileSync(process.execPath, [path.join(ROOT, 'scripts/build-cli.ts')], { cwd: ROOT, stdio: 'ignore' });
  const context = tarOf([
    { kind: 'file', path: 'Dockerfile', mode: 0o644, content: Buffer.from(dockerfile()) },
    { kind: 'folder', path: 'bundle/', mode: 0o755 },
    ...readdirSync(BUNDLE).map((file) => ({
      kind: 'file' as const,
      path: `bundle/${file}`,
      mode: 0o644,
      content: readFileSync(path.join(BUNDLE, file)),
    })),
  ]);
  const query = { t: IMAGE, buildargs: JSON.stringify({ RUNTIME_IMAGE: BASE }), forcerm: '1' };
  return text(await engine().stream('POST', '/build', { query, body: context }));
};

const created = z.object({ Id: z.string() });
const waited = z.object({ StatusCode: z.number() });

/** Runs it to its end as a careful cluster does; answers exit code and output. */
const run = async (...args: string[]): Promise<{ readonly code: number; readonly output: string }> => {
  const body = {
    Image: IMAGE,
    Cmd: args,
    // One stream, without frames.
    Tty: true,
    HostConfig: {
      ReadonlyRootfs: true,
      CapDrop: ['ALL'],
      SecurityOpt: ['no-new-privileges'],
      NetworkMode: 'none',
      Memory: 256 * 1_048_576,
    },
  };
  const { Id } = created.parse(await engine().call('POST', '/containers/create', { body }));
  try {
    await engine().call('POST', `/containers/${Id}/start`);
    const { StatusCode } = waited.parse(await engine().call('POST', `/containers/${Id}/wait`));
    const log = await engine().stream('GET', `/containers/${Id}/logs`, { query: { stdout: '1', stderr: '1' } });
    return { code: StatusCode, output: (await text(log)).replaceAll('\r', '') };
  } finally {
    await engine().call('DELETE', `/containers/${Id}`, { query: { force: '1' } });
  }
};

describe.skipIf(!hasEngine)('the image', () => {
  beforeAll(async () => {
    await makeBase();
    const log = await buildImage();
    if (!log.includes('Successfully built')) throw new Error(log);
  });
  afterAll(async () => {
    for (const image of [IMAGE, BASE]) await engine().call('DELETE', `/images/${image}`, { query: { force: '1' } });
  });

  it('runs as nobody, by a command that takes signals, at known ports', async () => {
    const { Config } = z
      .object({ Config: z.looseObject({ User: z.string() }) })
      .parse(await engine().call('GET', `/images/${IMAGE}/json`));
    expect(Config).toMatchObject({
      User: '65532:65532',
      Entrypoint: ['node', '/svk/svk.mjs'],
      ExposedPorts: { '10250/tcp': {}, '10255/tcp': {} },
    });
  });

  it('adds less than 8 MB to its base', () => {
    const bytes = readdirSync(BUNDLE).reduce((sum, file) => sum + statSync(path.join(BUNDLE, file)).size, 0);
    expect(bytes).toBeLessThan(8_000_000);
  });

  it('knows its version with a root that cannot be written', async () => {
    const { code, output } = await run('version');
    expect([code, output]).toEqual([0, expect.stringMatching(/^svk 0\.1\.0, Node v24\./)]);
  });

  it('loads every provider and the gateway, and says what is missing', async () => {
    const flags = ['run', '--only=kubelet-api', '--node-ip=10.0.0.1', '--kubeconfig=/nowhere'];
    const { code, output } = await run(...flags, '--provider=fargate');
    expect([code, output]).toEqual([3, expect.stringContaining('name a kubeconfig by --kubeconfig or KUBECONFIG')]);
    expect((await run('providers')).output).toBe('fargate\nmock\nweb\n');
  });
});
