import { globSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { build } from 'esbuild';

// One bundle for each entry point: functions/NAME.ts -> dist/NAME/index.cjs. CommonJS loads faster in Lambda than ESM.
const entryPoints = Object.fromEntries(
  globSync('functions/*.ts').map((file) => [`${basename(file, '.ts')}/index`, file]),
);
if (Object.keys(entryPoints).length === 0) {
  console.error('scripts/build.ts: no entry point in functions/');
  process.exitCode = 1;
} else {
  const { metafile } = await build({
    entryPoints,
    outdir: 'dist',
    outExtension: { '.js': '.cjs' },
    bundle: true,
    minify: true,
    platform: 'node',
    target: 'node24',
    format: 'cjs',
    mainFields: ['module', 'main'],
    sourcemap: 'linked',
    sourcesContent: false,
    legalComments: 'none',
    metafile: true,
    logLevel: 'info',
  });
  writeFileSync('dist/metafile.json', JSON.stringify(metafile));
  // After the build, not before: a local cloud that runs from these bundles goes on.
  const built = new Set(Object.keys(entryPoints).map((name) => `dist/${dirname(name)}`));
  for (const folder of globSync('dist/*/')) if (!built.has(folder)) rmSync(folder, { recursive: true });
}
