import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { isAlive } from '../../../../support/is-alive.ts';

const MACHINE = new URL('../../../../../src/providers/mock/local/local-machine.ts', import.meta.url);
const CLOCK = new URL('../../../../../src/adapters/system/system-clock.ts', import.meta.url);

it('ends the processes of pods with ours, which they do not keep', async () => {
  const program = `
    import { LocalMachine } from ${JSON.stringify(MACHINE.href)};
    import { SystemClock } from ${JSON.stringify(CLOCK.href)};
    const machine = new LocalMachine({ clock: new SystemClock(), environment: { PATH: process.env.PATH } });
    const command = ['sh', '-c', 'trap "" HUP TERM; echo $$; sleep 300 & wait'];
    machine.start('w', 'c', { command, stdin: true, stdinOnce: false }, () => undefined);
    const query = { workloadId: 'w', container: 'c', follow: true, timestamps: false };
    const print = async () => {
      for await (const chunk of machine.logs(query, new AbortController().signal)) process.stdout.write(chunk);
    };
    void print();
    // Nothing but this keeps it running.
    process.stdin.resume();
  `;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
  expect(isAlive(Number(line))).toBe(true);
  child.stdin.end();
  expect(await exited).toEqual([0, null]);
  for (let left = 500; isAlive(Number(line)) && left > 0; left -= 1) await delay(20);
  expect(isAlive(Number(line))).toBe(false);
});
