import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { waitFor } from '../support/local-cloud.ts';
import { hasAgent, withAgent } from '../support/ssm-agent.ts';

const shell = (script: string): readonly string[] => ['sh', '-c', script];

/** A PATH with these tools alone. */
const pathOf = (...tools: readonly string[]): string => {
  const folder = mkdtempSync(path.join(tmpdir(), 'svk-tools-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const tool of ['sh', 'sleep', 'head', ...tools]) symlinkSync(`/usr/bin/${tool}`, path.join(folder, tool));
  return `env PATH=${folder} `;
};

/** The address of a KMS that allows nothing. */
const aDenyingKms = async (): Promise<string> => {
  const server = createServer((_, response) => {
    const body = JSON.stringify({ __type: 'AccessDeniedException', message: 'not you' });
    response.writeHead(400, { 'content-type': 'application/x-amz-json-1.1' }).end(body);
  });
  onTestFinished(() => void server.close());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

describe.skipIf(!hasAgent)('our client in front of the official agent', () => {
  it('X-04, X-02: keeps streams, exit codes and arguments', async () => {
    const { exit, out, err } = await withAgent(shell('echo out; echo err >&2; exit 3'));
    expect([exit, out.toString(), err.toString()]).toEqual([3, 'out\n', 'err\n']);
    const words = ['a  b', "it's", '$HOME', 'new\nline', '', '"q"', '\\', '# x', '{{x}}', 'ü'];
    expect((await withAgent(['printf', '%s|', ...words])).out.toString()).toBe(
      words.map((word) => `${word}|`).join(''),
    );
    expect(await withAgent(shell('kill -TERM $$'))).toMatchObject({ exit: 143 });
    expect(await withAgent(['nope'])).toMatchObject({ exit: expect.stringContaining('not found in $PATH') as unknown });
  });

  it('X-05: carries a megabyte in, and text that the agent would cut out again', async () => {
    const input = Buffer.concat([randomBytes(1_000_000), Buffer.from('\ufffd\ufffd\0', 'utf8'), Buffer.of(0xe2, 0x82)]);
    const { exit, out } = await withAgent(['cat'], { input });
    expect(exit).toBe(0);
    expect(out.equals(input)).toBe(true);
  });

  it('is byte-exact with 20 % of all messages lost, and others doubled and reordered', async () => {
    const relay = ['--drop', '20', '--duplicate', '10', '--reorder', '20', '--jitter', '10', '--seed', '7'];
    const input = randomBytes(30_000);
    const { exit, out, err } = await withAgent(shell('tee /dev/stderr; exit 7'), { input, relay });
    expect(exit).toBe(7);
    expect(out.equals(input)).toBe(true);
    expect(err.equals(input)).toBe(true);
  });

  it('shakes hands where the agent wants to', async () => {
    expect(await withAgent(['cat'], { input: 'hi', agent: ['-handshake'] })).toMatchObject({
      exit: 0,
      out: Buffer.from('hi'),
    });
  });

  it('is encrypted where the agent demands a key of KMS: both ways, and with messages lost', async () => {
    const kmsKey = 'arn:aws:kms:us-east-1:123456789012:key/0a1b2c3d';
    const input = randomBytes(30_000);
    const { exit, out, err } = await withAgent(shell('tee /dev/stderr; exit 7'), { kmsKey, input });
    expect(exit).toBe(7);
    expect(out.equals(input)).toBe(true);
    expect(err.equals(input)).toBe(true);
    const relay = ['--drop', '20', '--duplicate', '10', '--reorder', '20', '--jitter', '10', '--seed', '7'];
    const sizes = [{ columns: 77, rows: 22 }];
    expect(await withAgent(shell('stty size; exit 4'), { kmsKey, relay, tty: true, sizes })).toMatchObject({
      exit: 4,
      out: Buffer.from('22 77\r\n'),
    });
  });

  it('says what is missing where one of the two ends may not use the key', async () => {
    const kmsKey = 'alias/exec';
    const denying = await aDenyingKms();
    const ours = await withAgent(['true'], { kmsKey, kmsEndpoint: { client: denying } });
    expect(ours.exit).toMatch(
      /^PermanentError: the exec session is encrypted with the KMS key alias\/exec, .*: allow kms:GenerateDataKey on it .*AccessDeniedException: not you/,
    );
    const theirs = await withAgent(['true'], { kmsKey, kmsEndpoint: { agent: denying } });
    expect(theirs.exit).toMatch(
      /^PermanentError: .* the KMS key alias\/exec, .*Fetching data key failed.*AccessDeniedException: not you.*: allow kms:Decrypt on that key to the task role/,
    );
  });

  it('has a terminal of the right size', async () => {
    const sizes = [{ columns: 77, rows: 22 }];
    expect(await withAgent(shell('stty size; exit 4'), { tty: true, sizes })).toMatchObject({
      exit: 4,
      out: Buffer.from('22 77\r\n'),
    });
  });

  it('runs a command by itself where there is no shell, and does not call that a success', async () => {
    expect(await withAgent(['/bin/echo', 'hi'], { kind: 'direct' })).toMatchObject({
      exit: expect.stringContaining('its exit code is unknown') as unknown,
      out: Buffer.from('hi\n'),
    });
    expect(await withAgent(['/no/such'], { kind: 'direct' })).toMatchObject({
      exit: 'InvalidError: the command cannot be started: fork/exec /no/such: no such file or directory',
    });
  });

  it.each([
    { want: 'no gzip', tools: ['cat', 'dd', 'base64', 'stty'], input: true, apart: true },
    { want: 'no base64', tools: ['cat', 'dd', 'od', 'gzip', 'stty'], input: true, apart: true },
    { want: 'no dd', tools: ['cat', 'base64', 'stty'], input: true, apart: false },
    { want: 'no stty', tools: ['cat', 'dd', 'base64', 'gzip'], input: false, apart: true },
  ])('works with $want', async ({ tools, input, apart }) => {
    const prefix = pathOf(...tools);
    const { exit, out, err } = await withAgent(shell('echo out; echo err >&2; exit 3'), { prefix });
    expect([exit, out.toString(), err.toString()]).toEqual(apart ? [3, 'out\n', 'err\n'] : [3, 'out\nerr\n', '']);
    const bytes = Buffer.from(Array.from({ length: 5000 }, (_, n) => n % 251));
    const fed = await withAgent(['cat'], { prefix, input: bytes });
    if (input) expect(fed.out.equals(bytes)).toBe(true);
    else expect(fed.exit).toContain('the image has no stty or no cat');
  });

  it('ends the command where its caller leaves', async () => {
    const file = path.join(mkdtempSync(path.join(tmpdir(), 'svk-exec-')), 'ended');
    onTestFinished(() => rmSync(path.dirname(file), { recursive: true, force: true }));
    const signal = AbortSignal.timeout(3000);
    const { exit } = await withAgent(shell(`trap 'echo ended >${file}; exit' INT; sleep 60; echo late >${file}`), {
      signal,
    });
    expect(exit).toContain('aborted');
    await waitFor(async () => existsSync(file) && readFileSync(file, 'utf8') === 'ended\n', {
      withinMs: 15_000,
      what: 'the end of the command',
    });
  });
});
