import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { svk } from '../run/svk-run.ts';

// Nobody listens there.
const NOWHERE = { AWS_REGION: 'eu-west-1', AWS_ENDPOINT_URL: 'http://127.0.0.1:1', KUBECONFIG: '/nowhere/config' };

beforeEach(() => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'test');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test');
});
afterEach(() => vi.unstubAllEnvs());

describe('svk doctor', () => {
  it('ends with 1 where a question could not be asked', async () => {
    const { code, out, err } = await svk(['doctor', '--only', 'deployment', '-o', 'json'], NOWHERE);
    expect(JSON.parse(out)).toMatchObject({
      deployment: 'dev',
      region: 'eu-west-1',
      findings: [{ check: 'deployment', status: 'unknown', message: expect.stringContaining('ECONNREFUSED') }],
    });
    expect([code, err]).toEqual([1, 'svk: 1 of 1 questions could not be asked\n']);
  });

  it('ends with 3 where something is to be mended, each finding with its fix', async () => {
    const { code, out, err } = await svk(['doctor', '--only', 'cluster'], NOWHERE);
    expect(out).toMatch(/^FAIL {2}cluster +kubeconfig \/nowhere\/config is not there.*\n +fix: name a kubeconfig/);
    expect([code, err]).toEqual([3, 'svk: 1 of 1 findings are failures\n']);
  });

  it.each([
    { args: ['--only', 'pods,subnets'], code: 2, err: /--only: no check "pods"; there are deployment, credentials/ },
    { args: ['--only', ','], code: 2, err: /--only names no check; there are deployment/ },
    { args: ['-o', 'xml'], code: 2, err: /--output must be text or json, not "xml"/ },
    { args: ['--onyl', 'x'], code: 2, err: /unknown option '--onyl'/ },
  ])('$args ends with $code', async ({ args, code, err }) => {
    const ended = await svk(['doctor', ...args], NOWHERE);
    expect(ended.code).toBe(code);
    expect(ended.err).toMatch(err);
    expect(ended.out).toBe('');
  });

  it('needs a region', async () => {
    expect(await svk(['doctor'])).toMatchObject({ code: 3, err: 'svk: no region: give --region, or set AWS_REGION\n' });
  });
});
