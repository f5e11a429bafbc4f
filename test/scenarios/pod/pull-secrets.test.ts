import { describe, expect, it } from 'vitest';
import { PermanentError } from '../../../src/core/errors.ts';
import type { PodSources } from '../../../src/ports/provider.ts';
import type { PodWish } from '../../support/a-pod.ts';
import { PodWorld } from '../../support/pod-world.ts';

const PRIVATE: PodWish = {
  containers: [{ image: 'registry.example.com/app:1' }],
  imagePullSecrets: [{ name: 'reg-login' }],
};

const AUTHS = { auths: { 'registry.example.com': { username: 'robot', password: 'hunter2' } } };

/** A world whose provider pulls with logins, and what it was given for each launch. */
const worldOfLogins = async (): Promise<{ world: PodWorld; given: PodSources['logins'][] }> => {
  const world = await PodWorld.create();
  const given: PodSources['logins'][] = [];
  world.provider.pullsWithLogin = (image) => !image.includes('.dkr.ecr.');
  world.provider.preparation = (pod, sources) => {
    given.push(sources.logins);
    world.provider.preparation = undefined;
    return world.provider.prepare(pod, sources);
  };
  return { world, given };
};

const complaints = (world: PodWorld): readonly string[] =>
  world.events().filter((event) => event.startsWith('FailedToRetrieveImagePullSecret'));

describe('V-18 a pod with pull secrets', () => {
  it('is launched with the login that fits, which nobody else gets to see', async () => {
    const { world, given } = await worldOfLogins();
    const data = { '.dockerconfigjson': JSON.stringify(AUTHS) };
    world.kubernetes.putSecret('default', 'reg-login', data, 'kubernetes.io/dockerconfigjson');
    await world.addPod(PRIVATE);
    expect(given).toEqual([{ main: { secret: 'reg-login', username: 'robot', password: 'hunter2' } }]);
    expect(complaints(world)).toEqual([]);
    const everything = JSON.stringify([world.podStore.rows(), world.pod(), world.events(), world.logger.lines]);
    expect(everything).not.toContain('hunter2');
  });

  it('is launched without one that is not there, which is told once', async () => {
    const { world, given } = await worldOfLogins();
    await world.addPod(PRIVATE);
    expect(given).toEqual([{}]);
    expect(world.provider.live()).toHaveLength(1);
    await world.pass(600_000);
    expect(complaints(world)).toEqual([expect.stringContaining('(reg-login)')]);
  });

  it('is launched without one that is not granted, with the command that grants it', async () => {
    const { world } = await worldOfLogins();
    world.kubernetes.failNext('sources.secret', new PermanentError('secrets "reg-login" is forbidden'));
    await world.addPod(PRIVATE);
    expect(world.provider.live()).toHaveLength(1);
    expect(complaints(world)).toEqual([expect.stringContaining('svk manifests --namespaces default')]);
  });

  it.each([
    { where: 'its images come from ECR', wish: { ...PRIVATE, containers: [{ image: '1.dkr.ecr.x.amazonaws.com/a' }] } },
    { where: 'it names none', wish: { containers: [{ image: 'registry.example.com/app:1' }] } },
  ])('reads no Secret where $where', async ({ wish }) => {
    const { world } = await worldOfLogins();
    await world.addPod(wish);
    expect(world.provider.live()).toHaveLength(1);
    expect(world.kubernetes.count('sources.secret')).toBe(0);
  });
});
