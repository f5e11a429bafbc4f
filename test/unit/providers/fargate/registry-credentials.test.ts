import { describe, expect, it } from 'vitest';
import { pullsWithLogin, registryCredentials } from '../../../../src/providers/fargate/prepare/registry-credentials.ts';

describe('an image', () => {
  it.each([
    '123456789012.dkr.ecr.eu-west-1.amazonaws.com/team/side:7',
    '123456789012.dkr.ecr-fips.us-gov-west-1.amazonaws.com/app',
    '123456789012.dkr.ecr.cn-north-1.amazonaws.com.cn/app',
    '123456789012.dkr-ecr.eu-west-1.on.aws/app',
  ])('%s of Amazon ECR is pulled with the execution role', (image) => {
    expect(pullsWithLogin(image)).toBe(false);
  });

  it.each([
    'nginx',
    'registry.example.com/123456789012.dkr.ecr.eu-west-1.amazonaws.com/app',
    '123456789012.dkr.ecr.eu-west-1.amazonaws.com.example.com/app',
    'public.ecr.aws/nginx/nginx:1',
  ])('%s may be pulled with a login', (image) => {
    expect(pullsWithLogin(image)).toBe(true);
  });
});

describe('a login', () => {
  const scope = { deployment: 'dev', namespace: 'shop' };
  const login = { secret: 'reg', username: 'robot', password: 'pa"ss' };

  it('becomes what ECS reads, under a name that follows from its content', () => {
    const { path, value } = registryCredentials(login, scope);
    expect(JSON.parse(value)).toEqual({ username: 'robot', password: 'pa"ss' });
    expect(path).toMatch(/^\/svk\/dev\/shop\/reg\/[0-9a-f]{16}\/registry$/);
    expect(registryCredentials(login, scope).path).toBe(path);
    expect(registryCredentials({ ...login, password: 'other' }, scope).path).not.toBe(path);
  });
});
