import { describe, expect, it } from 'vitest';
import { pullSecretsOf, registryLogins } from '../../../../../src/controllers/pod/pull-secrets/registry-logins.ts';
import type { Secret } from '../../../../../src/model/kubernetes.ts';
import { aPod } from '../../../../support/a-pod.ts';

const base64 = (text: string): string => Buffer.from(text).toString('base64');

const json = (auths: unknown): Secret => ({
  type: 'kubernetes.io/dockerconfigjson',
  data: { '.dockerconfigjson': base64(JSON.stringify({ auths })) },
});

const cfg = (registries: unknown): Secret => ({
  type: 'kubernetes.io/dockercfg',
  data: { '.dockercfg': base64(JSON.stringify(registries)) },
});

const all = (): boolean => true;

const resolve = (
  images: readonly string[],
  secrets: Readonly<Record<string, Secret | 'missing' | 'forbidden'>>,
): ReturnType<typeof registryLogins> => {
  const names = Object.keys(secrets);
  const pod = aPod({
    namespace: 'shop',
    containers: images.map((image, index) => ({ name: `c${index}`, image })),
    imagePullSecrets: names.map((name) => ({ name })),
  });
  const fetched = Object.fromEntries(
    Object.entries(secrets).map(([name, secret]) => [
      name,
      secret === 'missing'
        ? ({ kind: 'not-found' } as const)
        : secret === 'forbidden'
          ? ({ kind: 'unreadable', message: 'secrets "x" is forbidden' } as const)
          : ({ kind: 'found', object: secret } as const),
    ]),
  );
  return registryLogins(pod, pullSecretsOf(pod, all), fetched, all);
};

describe('V-18 pull secrets of every kind', () => {
  it.each([
    { form: 'auth', secret: json({ 'r.example.com': { auth: base64('robot:hunter2') } }) },
    { form: 'auth with a colon in the password', secret: json({ 'r.example.com': { auth: base64('robot:a:b') } }) },
    { form: 'username and password', secret: json({ 'r.example.com': { username: 'robot', password: 'hunter2' } }) },
    {
      form: 'both: auth wins',
      secret: json({ 'r.example.com': { username: 'x', password: 'y', auth: base64('robot:hunter2') } }),
    },
    { form: 'legacy dockercfg', secret: cfg({ 'https://r.example.com': { auth: base64('robot:hunter2') } }) },
  ])('$form', ({ form, secret }) => {
    const password = form.includes('colon') ? 'a:b' : 'hunter2';
    expect(resolve(['r.example.com/app'], { one: secret })).toEqual({
      logins: { c0: { secret: 'one', username: 'robot', password } },
      faults: [],
    });
  });

  it('several registries and Secrets, each for its own images', () => {
    const secrets = {
      one: json({ 'a.example.com': { auth: base64('a:1') }, 'b.example.com': { auth: base64('b:2') } }),
      two: cfg({ 'c.example.com': { auth: base64('c:3') } }),
    };
    const { logins } = resolve(['b.example.com/x', 'c.example.com/x', 'd.example.com/x'], secrets);
    expect(logins).toEqual({
      c0: { secret: 'one', username: 'b', password: '2' },
      c1: { secret: 'two', username: 'c', password: '3' },
    });
  });

  it('a missing one beside a good one is passed over, with a word about it', () => {
    const good = json({ 'r.example.com': { auth: base64('robot:hunter2') } });
    const { logins, faults } = resolve(['r.example.com/app'], { missing: 'missing', good });
    expect(logins).toHaveProperty('c0');
    expect(faults).toEqual([
      'Unable to retrieve some image pull secrets (missing); attempting to pull the image may not succeed: the Secret is not there',
    ]);
  });

  it('one that is not granted is told with the command to run', () => {
    const { faults } = resolve(['r.example.com/app'], { one: 'forbidden' });
    expect(faults).toEqual([expect.stringContaining('svk manifests --namespaces shop')]);
  });

  it.each([
    { of: 'another type', secret: { type: 'Opaque', data: {} }, fault: /is of type Opaque: make it by "kubectl/ },
    { of: 'no type', secret: { data: {} }, fault: /is of type Opaque/ },
    { of: 'no key', secret: { type: 'kubernetes.io/dockerconfigjson' }, fault: /has no key \.dockerconfigjson/ },
    {
      of: 'no JSON',
      secret: { type: 'kubernetes.io/dockercfg', data: { '.dockercfg': base64('{hunter2') } },
      fault: /its key \.dockercfg is no Docker configuration/,
    },
    { of: 'a list', secret: json([{ auth: 'hunter2' }]), fault: /no Docker configuration/ },
    {
      of: 'an auth without colon',
      secret: json({ 'r.example.com': { auth: base64('hunter2') } }),
      fault: /an auth that/,
    },
    { of: 'an auth that is no base64', secret: json({ 'r.example.com': { auth: 'hunter2!' } }), fault: /an auth that/ },
  ])('a Secret of $of is told without what it holds', ({ secret, fault }) => {
    const { logins, faults } = resolve(['r.example.com/app'], { one: secret });
    expect(logins).toEqual({});
    expect(faults).toEqual([expect.stringMatching(fault)]);
    expect(faults.join(' ')).not.toContain('hunter2');
  });

  it('an entry without credentials is none', () => {
    const secret = json({ 'r.example.com': { email: 'a@example.com' }, 'r.example.com/team': null });
    expect(resolve(['r.example.com/app'], { one: json({ 'r.example.com': {} }) })).toEqual({ logins: {}, faults: [] });
    expect(resolve(['r.example.com/app'], { one: secret }).logins).toEqual({});
  });

  it('no Secret is read where no image needs one', () => {
    const pod = aPod({ imagePullSecrets: [{ name: 'one' }, { name: 'one' }, {}] });
    expect(pullSecretsOf(pod, () => false)).toEqual([]);
    expect(pullSecretsOf(pod, all)).toEqual(['one']);
  });
});
