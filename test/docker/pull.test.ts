import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type DockerWorld, shell, startDockerWorld } from './support/docker-world.ts';
import { engine, hasEngine } from './support/engine.ts';
import { makeImages, rootFiles } from './support/images.ts';
import { startRegistry, type TestRegistry } from './support/registry.ts';

describe.skipIf(!hasEngine)('an image', () => {
  let world: DockerWorld;
  let registry: TestRegistry;

  beforeAll(async () => {
    await makeImages();
    registry = await startRegistry(rootFiles(), ['echo', 'pulled']);
    world = await startDockerWorld();
  });

  afterAll(async () => {
    await world.close();
    await registry.close();
  });

  const retried = 'pull image manifest has been retried 5 time(s): failed to resolve ref';

  it('is pulled from its registry and keeps the digest it has there', async () => {
    const image = `${registry.host}/there:1`;
    const { entryPoint: _, command: __, ...app } = shell('', { image });
    const run = await world.run([app]);
    const { containers, pullStartedAt, pullStoppedAt } = await run.reaches('STOPPED');
    expect(containers?.[0]).toMatchObject({ exitCode: 0, imageDigest: expect.stringMatching(/^sha256:/) });
    expect(await run.log()).toEqual(['pulled']);
    expect(pullStoppedAt?.getTime()).toBeGreaterThan(pullStartedAt?.getTime() ?? Number.POSITIVE_INFINITY);
    await engine().call('DELETE', `/images/${image}`, { query: { force: '1' } });
  });

  it('of a private registry is pulled with the login of `repositoryCredentials` alone', async () => {
    const closed = await startRegistry(rootFiles(), ['echo', 'let in'], 'private');
    onTestFinished(() => closed.close());
    const image = `${closed.host}/there:1`;
    const { entryPoint: _, command: __, ...app } = shell('', { image });
    const without = await world.run([app]);
    expect((await without.reaches('STOPPED')).stoppedReason).toBe(
      `CannotPullContainerError: ${retried} ${image}: pulling from host failed with status code: no basic auth credentials`,
    );
    const { ARN: credentialsParameter } = (await world.aws.secrets.handle('CreateSecret', {
      Name: 'registry',
      SecretString: '{"username":"ada","password":"pw"}',
    })) as { readonly ARN: string };
    const run = await world.run([{ ...app, repositoryCredentials: { credentialsParameter } }]);
    await run.reaches('STOPPED');
    expect(await run.log()).toEqual(['let in']);
    await engine().call('DELETE', `/images/${image}`, { query: { force: '1' } });
  });

  it.each([
    { want: 'is not known', image: 'HOST/nothing:1', text: `${retried} HOST/nothing:1: HOST/nothing:1: not found` },
    {
      want: 'needs a login',
      image: 'HOST/secret:1',
      text: `${retried} HOST/secret:1: pull access denied, repository does not exist or may require authorization: server message: insufficient_scope: authorization failed`,
    },
    { want: 'is limited', image: 'HOST/busy:1', text: 'toomanyrequests: You have reached your pull rate limit.' },
    {
      want: 'has no registry',
      image: '127.0.0.1:1/none:1',
      text: `${retried} 127.0.0.1:1/none:1: failed to do request: Get "http://127.0.0.1:1/v2/": dial tcp 127.0.0.1:1: connect: connection refused`,
    },
    { want: 'has no valid name', image: 'Bad:::name', text: 'invalid reference format: docker.io/library/Bad:::name' },
  ])('that $want stops the task in AWS’s words', async ({ image, text }) => {
    const named = (words: string): string => words.replaceAll('HOST', registry.host);
    const run = await world.run([shell('true', { image: named(image) })]);
    const { stopCode, stoppedReason, containers } = await run.reaches('STOPPED');
    expect(stopCode).toBe('TaskFailedToStart');
    expect(stoppedReason).toBe(`CannotPullContainerError: ${named(text)}`);
    expect(containers?.[0]?.exitCode).toBeUndefined();
  });

  it.each([
    {
      want: 'a command',
      changes: { entryPoint: ['no-such'] },
      text: 'exec: "no-such": executable file not found in $PATH',
    },
    { want: 'a user', changes: { user: 'nobody-here' }, text: 'unable to find user nobody-here' },
  ])('that lacks $want cannot start', async ({ changes, text }) => {
    const run = await world.run([shell('true', changes)]);
    const { stopCode, containers } = await run.reaches('STOPPED');
    expect(stopCode).toBe('TaskFailedToStart');
    expect(containers?.[0]?.reason).toMatch(/^CannotStartContainerError: /);
    expect(containers?.[0]?.reason).toContain(text);
    expect(containers?.[0]?.exitCode).toBeUndefined();
  });
});
