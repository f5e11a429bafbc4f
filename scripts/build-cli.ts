import { rmSync, writeFileSync } from 'node:fs';
import { build } from 'esbuild';

// The command `svk` as a few files of plain JavaScript, for the image (Dockerfile): .build/svk/svk.mjs. What only some
// commands need stays in files of its own, loaded when it is asked for.
const folder = '.build/svk';
rmSync(folder, { recursive: true, force: true });
await build({
  entryPoints: { svk: 'src/cli/bundled.ts' },
  outdir: folder,
  outExtension: { '.js': '.mjs' },
  bundle: true,
  splitting: true,
  minify: true,
  platform: 'node',
  target: 'node24',
  format: 'esm',
  mainFields: ['module', 'main'],
  // A terminal for the mock's exec, which falls back where it is missing; binaries cannot be bundled.
  external: ['@lydell/node-pty'],
  // Packages of the old kind ask for Node's own modules by `require`.
  banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
  legalComments: 'none',
  logLevel: 'info',
});
writeFileSync(`${folder}/package.json`, JSON.stringify({ name: 'svk', private: true, type: 'module' }));
