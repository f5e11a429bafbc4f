import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const SERVER = fileURLToPath(new URL('../../examples/web-provider/server.mjs', import.meta.url));

/** The example of a web provider's service, running. */
export interface ExampleService {
  readonly url: string;
  stop(): Promise<void>;
}

/** Starts it on a free port; it asks for `Bearer <token>`. */
export const startExampleService = async (token: string): Promise<ExampleService> => {
  const child = spawn(process.execPath, [SERVER], {
    env: { PATH: process.env['PATH'], PORT: '0', TOKEN: token },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line]: unknown[] = await once(child.stdout, 'data');
  return {
    url: String(line).trim(),
    stop: async () => {
      const exited = once(child, 'exit');
      child.kill();
      await exited;
    },
  };
};
