import { describe, expect, it, onTestFinished } from 'vitest';
import { type ChosenRuntime, chooseRuntime } from '../../../../infra/local/cloud/runtime-choice.ts';

const nowhere = 'unix:///nowhere/docker.sock';
const processes = 'process: commands run as local processes, without isolation and without images';

const chosen = async (...args: Parameters<typeof chooseRuntime>): Promise<ChosenRuntime> => {
  const choice = await chooseRuntime(...args);
  onTestFinished(() => choice.runtime.close());
  return choice;
};

describe('what tasks run on', () => {
  it('is what was asked for', async () => {
    expect((await chosen('process', nowhere)).line).toBe(processes);
    expect((await chosen('simulated', nowhere)).line).toBe('simulated: nothing runs');
  });

  it('is processes where no engine answers, and why', async () => {
    const { runtime, line } = await chosen(undefined, nowhere);
    expect(runtime.name).toBe('process');
    expect(line).toBe(`${processes}; no containers: no engine answers at /nowhere/docker.sock`);
  });

  it('is refused with the way out where an engine was asked for', async () => {
    await expect(chooseRuntime('docker', nowhere)).rejects.toThrow(
      '--runtime docker: the container engine at /nowhere/docker.sock does not answer: connect ENOENT /nowhere/docker.sock. Start a container engine, name its socket in DOCKER_HOST, or use --runtime process.',
    );
  });

  it('names a DOCKER_HOST that it cannot use', async () => {
    expect((await chosen(undefined, 'ssh://me@there')).line).toContain('DOCKER_HOST: "ssh://me@there" is neither');
  });
});
