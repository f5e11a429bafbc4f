import { describe, expect, it } from 'vitest';
import { loginFor } from '../../../../../src/controllers/pod/pull-secrets/keyring.ts';

const chosen = (image: string, ...registries: readonly string[]): string | undefined =>
  loginFor(
    image,
    registries.map((registry) => ({ registry })),
  )?.registry;

describe('a login fits an image', () => {
  it.each([
    { registry: 'registry.example.com', image: 'registry.example.com/team/app:1' },
    { registry: 'https://registry.example.com', image: 'registry.example.com/team/app@sha256:00' },
    { registry: 'http://registry.example.com/', image: 'registry.example.com/app' },
    { registry: 'https://registry.example.com/v1/', image: 'registry.example.com/app' },
    { registry: 'https://registry.example.com/v2/', image: 'registry.example.com/app' },
    { registry: 'registry.example.com/team', image: 'registry.example.com/team/app:1' },
    { registry: 'registry.example.com:5000', image: 'registry.example.com:5000/app:1' },
    { registry: '*.example.com', image: 'registry.example.com/app' },
    { registry: 'reg?stry.example.com', image: 'registry.example.com/app' },
    { registry: 'https://index.docker.io/v1/', image: 'nginx:1.27' },
    { registry: 'https://index.docker.io/v1/', image: 'team/app' },
    { registry: 'index.docker.io', image: 'docker.io/team/app:1' },
    { registry: 'docker.io', image: 'nginx' },
    { registry: 'docker.io/library', image: 'nginx' },
    { registry: 'localhost:5000', image: 'localhost:5000/app' },
  ])('$registry fits $image', ({ registry, image }) => {
    expect(chosen(image, registry)).toBe(registry);
  });

  it.each([
    { registry: 'registry.example.com', image: 'other.example.com/app' },
    { registry: 'registry.example.com', image: 'registry.example.com:5000/app' },
    { registry: 'registry.example.com:5000', image: 'registry.example.com/app' },
    { registry: 'registry.example.com/other', image: 'registry.example.com/team/app' },
    { registry: '*.example.com', image: 'a.b.example.com/app' },
    { registry: 'example.com', image: 'registry.example.com/app' },
    { registry: 'registryXexample.com', image: 'registry.example.com/app' },
    { registry: 'https://index.docker.io/v1/', image: 'registry.example.com/app' },
    { registry: 'registry.example.com', image: 'nginx' },
    { registry: '', image: 'nginx' },
  ])('$registry does not fit $image', ({ registry, image }) => {
    expect(chosen(image, registry)).toBeUndefined();
  });

  it('the longer name wins, whatever comes first', () => {
    expect(chosen('r.example.com/team/app', 'r.example.com', 'r.example.com/team')).toBe('r.example.com/team');
  });

  it('of equal names the first wins', () => {
    const logins = [
      { registry: 'r.example.com', user: 'a' },
      { registry: 'https://r.example.com', user: 'b' },
    ];
    expect(loginFor('r.example.com/app', logins)?.user).toBe('a');
  });
});
