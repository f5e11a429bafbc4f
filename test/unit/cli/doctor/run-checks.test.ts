import { describe, expect, it } from 'vitest';
import { type Check, MissingFact } from '../../../../src/cli/doctor/check.ts';
import { pass } from '../../../../src/cli/doctor/finding.ts';
import { runChecks } from '../../../../src/cli/doctor/run-checks.ts';
import type { World } from '../../../../src/cli/doctor/world.ts';
import { TransientError } from '../../../../src/core/errors.ts';

const { signal } = new AbortController();
const WORLD = { deployment: 'dev' } as World;
const check = (name: string, run: Check['run']): Check => ({ name, run });

describe('checks', () => {
  it('run on whatever one of them meets', async () => {
    const checks = [
      check('one', () => Promise.reject(new TransientError('ECS is away'))),
      check('two', () => Promise.reject(new MissingFact('one'))),
      check('three', ({ deployment }) => Promise.resolve([pass(deployment), pass('more')])),
    ];
    expect(await runChecks(checks, WORLD, signal)).toEqual([
      { check: 'one', status: 'unknown', message: 'ECS is away', fix: 'mend what the message names, then ask again' },
      { check: 'two', status: 'skip', message: 'needs what check one could not find' },
      { check: 'three', status: 'pass', message: 'dev' },
      { check: 'three', status: 'pass', message: 'more' },
    ]);
  });

  it('do not hide a bug of ours', async () => {
    await expect(runChecks([check('one', () => Promise.reject(new TypeError('x')))], WORLD, signal)).rejects.toThrow(
      TypeError,
    );
  });
});
