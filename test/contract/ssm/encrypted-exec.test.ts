import { randomBytes } from 'node:crypto';
import { DisableKeyCommand } from '@aws-sdk/client-kms';
import { describe, expect, it, onTestFinished } from 'vitest';
import { SystemClock } from '../../../src/adapters/system/system-clock.ts';
import { SystemRandom } from '../../../src/adapters/system/system-random.ts';
import { parseFraming } from '../../../src/providers/fargate/exec/framing.ts';
import { runSession } from '../../../src/providers/fargate/exec/run-session.ts';
import type { DataKeySource } from '../../../src/streaming/ssm/data-key.ts';
import { openWebSocketLink } from '../../../src/streaming/ssm/web-socket-link.ts';
import { type ExecKey, encryptSessions } from '../../support/exec-key.ts';
import { execStreams } from '../../support/exec-streams.ts';
import { aContainer, type ContainerWorld } from './a-container.ts';

const shell = (script: string): readonly string[] => ['sh', '-c', script];

const anEncryptedContainer = async (): Promise<ContainerWorld & { readonly key: ExecKey }> => {
  const container = await aContainer();
  const key = await encryptSessions(container.world.aws.url, 'pods');
  onTestFinished(() => key.close());
  return { ...container, key };
};

describe('exec into a task whose cluster encrypts its sessions', () => {
  it('works as without: streams, exit code, input byte for byte', async () => {
    const { run } = await anEncryptedContainer();
    const input = randomBytes(200_000);
    const { exit, out, err } = await run(shell('tee /dev/stderr; exit 7'), { input });
    expect(exit).toBe(7);
    expect(out.equals(input)).toBe(true);
    expect(err.equals(input)).toBe(true);
  });

  it('works with a terminal', async () => {
    const { run } = await anEncryptedContainer();
    const sizes = [{ columns: 132, rows: 43 }];
    const { exit, out } = await run(shell('stty size; read line; echo "got $line"; exit 4'), {
      tty: true,
      sizes,
      input: 'typed\r',
    });
    expect(exit).toBe(4);
    expect(out.toString()).toContain('43 132\r\n');
    expect(out.toString()).toContain('got typed\r\n');
  });

  it('is complete through loss, repetition and reordering in both directions', async () => {
    const { world, run } = await anEncryptedContainer();
    world.aws.faults.inject({ kind: 'data-channel', drop: 0.2, duplicate: 0.1, reorder: 0.2 });
    const input = randomBytes(40_000);
    const { exit, out } = await run(['cat'], { input });
    expect(exit).toBe(0);
    expect(out.equals(input)).toBe(true);
  });

  it('works for somebody without credentials, who carries a session that was opened for him', async () => {
    const { fargate, world } = await anEncryptedContainer();
    const { signal } = new AbortController();
    const query = {
      workloadId: world.taskArn,
      container: 'app',
      command: shell('cat; exit 5'),
      tty: false,
      stdin: true,
    };
    const { sessionId, streamUrl, tokenValue, framing } = await fargate.openSession(
      { ...query, direct: false },
      signal,
    );
    const link = await openWebSocketLink(streamUrl, { headers: {}, signal });
    const { streams, out } = execStreams({ input: 'typed' });
    const dataKey: DataKeySource = (request, until) => fargate.sessionKey({ ...query, sessionId, ...request }, until);
    const access = { link, tokenValue, dataKey, framing: parseFraming(framing), program: 'sh' };
    const deps = { clock: new SystemClock(), random: new SystemRandom() };
    expect(await runSession(access, streams, deps, signal)).toBe(5);
    expect(out().toString()).toBe('typed');
  });
});

describe('exec into such a task is refused, naming the key and what to allow', () => {
  it('where no data key may be made', async () => {
    const { world, run, key, logger } = await anEncryptedContainer();
    world.aws.faults.inject({ kind: 'access-denied', action: 'GenerateDataKey' });
    const { exit, out } = await run(shell('echo never'));
    expect(exit).toBe(
      `PermanentError: the exec session is encrypted with the KMS key ${key.arn}, of which no data key may be made here: allow kms:GenerateDataKey on it to the role that opens exec sessions, and in the key's own policy (AccessDeniedException: User: arn:aws:sts::123456789012:assumed-role/local/local is not authorized to perform: kms:GenerateDataKey because no identity-based policy allows the kms:GenerateDataKey action)`,
    );
    expect([out.toString(), logger.lines]).toEqual(['', []]);
  });

  it('where the task may not decrypt it', async () => {
    const { world, run, key } = await anEncryptedContainer();
    world.aws.faults.inject({ kind: 'access-denied', action: 'Decrypt' });
    const { exit, out } = await run(shell('echo never'));
    expect(exit).toMatch(
      new RegExp(
        `^PermanentError: .* the KMS key ${key.arn}, .*Fetching data key failed: .*AccessDeniedException.*allow kms:Decrypt on that key to the task role`,
      ),
    );
    expect(out.toString()).toBe('');
  });

  it('where the key is disabled', async () => {
    const { run, key } = await anEncryptedContainer();
    await key.kms.send(new DisableKeyCommand({ KeyId: key.arn }));
    expect((await run(['true'])).exit).toBe(
      `PermanentError: the exec session is encrypted with the KMS key ${key.arn}, of which no data key can be made: see that it is there and enabled, and that executeCommandConfiguration of the ECS cluster names the right one (DisabledException: ${key.arn} is disabled.)`,
    );
  });

  it('where KMS does not answer', async () => {
    const { world, run, key } = await anEncryptedContainer();
    world.aws.faults.inject({ kind: 'outage', service: 'kms', manner: 'reset' });
    expect((await run(['true'])).exit).toMatch(
      new RegExp(`^TransientError: .* the KMS key ${key.arn}; KMS GenerateDataKey`),
    );
  });
});
