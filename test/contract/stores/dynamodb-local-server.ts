import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../../infra/local/cloud/ports.ts';

const JAVA = process.env['JAVA_HOME'] === undefined ? 'java' : join(process.env['JAVA_HOME'], 'bin', 'java');

/**
 * The folder of AWS's DynamoDB Local (environment variable `DYNAMODB_LOCAL_HOME`: where DynamoDBLocal.jar lies), where
 * it is there and a Java answers. @throws where CI lacks it: there it is no skip.
 */
export const dynamodbLocalHome = (): string | undefined => {
  const home = process.env['DYNAMODB_LOCAL_HOME'];
  const isThere = home !== undefined && existsSync(join(home, 'DynamoDBLocal.jar'));
  if (isThere && spawnSync(JAVA, ['-version']).status === 0) return home;
  if (process.env['CI'] === 'true') throw new Error('DYNAMODB_LOCAL_HOME and a Java must be there: see .ci/run');
  return undefined;
};

/** Starts it in memory on a free port. */
export const startDynamodbLocal = async (home: string): Promise<{ readonly url: string; close(): Promise<void> }> => {
  const port = await freePort();
  const child = spawn(
    JAVA,
    [
      `-Djava.library.path=${join(home, 'DynamoDBLocal_lib')}`,
      '-jar',
      'DynamoDBLocal.jar',
      '-inMemory',
      '-disableTelemetry',
      '-port',
      String(port),
    ],
    { cwd: home, stdio: 'ignore' },
  );
  process.once('exit', () => child.kill());
  const url = `http://127.0.0.1:${port}`;
  await answers(url, child);
  return {
    url,
    close: async () => {
      child.kill();
      if (child.exitCode === null) await once(child, 'exit');
    },
  };
};

const answers = async (url: string, child: ChildProcess): Promise<void> => {
  for (let tries = 0; tries < 250; tries += 1) {
    if (child.exitCode !== null) throw new Error(`DynamoDB Local ended with ${child.exitCode}`);
    const answer = await fetch(url).catch(() => undefined);
    if (answer) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error('DynamoDB Local did not answer within 50 s');
};
