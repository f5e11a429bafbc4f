import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** Names of the packages that a Node process of its own has loaded once it has run `script`, a module below the project's root. */
export const packagesLoadedBy = async (script: string): Promise<readonly string[]> => {
  const hooks = `
    import { registerHooks } from 'node:module';
    const names = new Set();
    registerHooks({
      load(url, context, next) {
        const name = /.*node_modules\\/((?:@[^/]+\\/)?[^/]+)\\//.exec(url)?.[1];
        if (name) names.add(name);
        return next(url, context);
      },
    });
    process.on('exit', () => console.log(JSON.stringify([...names])));`;
  const args = [
    '--import',
    `data:text/javascript,${encodeURIComponent(hooks)}`,
    '--input-type=module',
    '--eval',
    script,
  ];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: ROOT });
  const names: unknown = JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
  if (!Array.isArray(names)) throw new Error(`no list of packages: ${stdout}`);
  return names.map(String);
};
