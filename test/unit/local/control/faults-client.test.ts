import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startAwsEmulator } from '../../../../infra/local/aws/emulator.ts';
import { writeAwsFile } from '../../../../infra/local/cloud/credentials.ts';
import { FaultsClient } from '../../../../infra/local/control/faults-client.ts';
import { SimulatedRuntime } from '../../../../infra/local/runtimes/simulated/simulated-runtime.ts';
import { FakeClock } from '../../../fakes/clock.ts';

const newDirectory = async (): Promise<string> => {
  const directory = await mkdtemp(join(tmpdir(), 'svk-control-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  return directory;
};

const start = async (key = 'K1') => {
  const clock = new FakeClock();
  const region = 'eu-west-1';
  const aws = await startAwsEmulator({ region, clock, runtime: new SimulatedRuntime(clock), accessKeyId: 'K1' });
  onTestFinished(() => aws.close());
  const directory = await newDirectory();
  writeAwsFile(directory, { url: aws.url, region, accessKeyId: key, secretAccessKey: 'local' });
  return { aws, directory };
};

describe('the faults of the running cloud', () => {
  it('are added, listed and cleared', async () => {
    const { aws, directory } = await start();
    const client = FaultsClient.of(directory);
    expect(await client.add({ kind: 'capacity', count: 2 })).toEqual([{ kind: 'capacity', count: 2 }]);
    expect(aws.faults.list()).toEqual([{ kind: 'capacity', count: 2 }]);
    expect(await client.list()).toHaveLength(1);
    expect(await client.clear()).toEqual([]);
    expect(aws.faults.list()).toEqual([]);
  });

  it('say so where one cannot happen', async () => {
    const { directory } = await start();
    await expect(FaultsClient.of(directory).add({ kind: 'spot-interruption', taskArn: 'none' })).rejects.toThrow(
      'No live task none.',
    );
  });

  it('need the key of this run', async () => {
    const { directory } = await start('K2');
    await expect(FaultsClient.of(directory).list()).rejects.toThrow('needs the local access key id');
  });

  it('name what to do where no cloud runs', async () => {
    const directory = await newDirectory();
    expect(() => FaultsClient.of(directory)).toThrow('start the local cloud with npm start');
    await writeFile(join(directory, 'aws.json'), JSON.stringify({ url: 'http://127.0.0.1:1', accessKeyId: 'K' }));
    await expect(FaultsClient.of(directory).list()).rejects.toThrow('no local cloud answers at http://127.0.0.1:1');
  });
});

describe('npm run local, typed', () => {
  it('explains itself, and exits 1 for a mistake', () => {
    const run = (...argv: string[]) =>
      spawnSync(process.execPath, ['infra/local/local-control.ts', ...argv], { encoding: 'utf8' });
    expect(run('--help')).toMatchObject({ status: 0, stdout: expect.stringContaining('usage: npm run local') });
    expect(run('faults', 'add', 'gremlins')).toMatchObject({ status: 1, stderr: expect.stringMatching(/^svk: /) });
    expect(run('faults', 'list', '--directory', '/nowhere')).toMatchObject({
      status: 1,
      stderr: 'svk: /nowhere/aws.json cannot be read: start the local cloud with npm start, or name its --directory\n',
    });
  });
});
