import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/**
 * The path of AWS's session-manager-plugin: in the folder `SSM_ASSETS`, or in the one that its script `unpack` prints;
 * `../shared/ssm` beside the project unless set. Undefined where there is none. @throws {Error} in CI where none is there.
 */
export const sessionManagerPlugin = async (): Promise<string | undefined> => {
  // To the script the variable is where it unpacks to.
  const { SSM_ASSETS: assets = '../shared/ssm', ...withoutAssets } = process.env;
  const folder = path.resolve(ROOT, assets);
  const unpack = path.join(folder, 'unpack');
  const unpacked = existsSync(unpack)
    ? (await promisify(execFile)(unpack, { env: withoutAssets })).stdout.trim()
    : folder;
  const program = path.join(unpacked, 'session-manager-plugin');
  if (existsSync(program)) return program;
  const message = 'no session-manager-plugin: name the folder that holds it by SSM_ASSETS';
  if (process.env['CI'] === 'true') throw new Error(message);
  console.warn(message);
  return undefined;
};
