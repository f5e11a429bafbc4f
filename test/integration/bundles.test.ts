import { globSync } from 'node:fs';
import { build } from 'esbuild';
import { expect, it } from 'vitest';

it('the functions carry nothing that only a process needs', async () => {
  const { metafile } = await build({
    entryPoints: globSync('functions/*.ts'),
    outdir: 'dist',
    bundle: true,
    platform: 'node',
    format: 'cjs',
    mainFields: ['module', 'main'],
    metafile: true,
    write: false,
    logLevel: 'silent',
  });
  const inputs = Object.keys(metafile.inputs);
  expect(inputs).toContain('functions/pod-worker.ts');
  const forProcesses =
    /^src\/(app\/process|cli|server|controllers\/watch|adapters\/(memory|tls))\/|\/(client-node|commander|yaml)\//;
  expect(inputs.filter((input) => forProcesses.test(input))).toEqual([]);
});
