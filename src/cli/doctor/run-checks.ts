import { SvkError } from '../../core/errors.ts';
import { type Check, MissingFact } from './check.ts';
import type { Finding, Reported } from './finding.ts';
import type { World } from './world.ts';

/** Runs the checks one after the other, whatever each of them finds. */
export const runChecks = async (
  checks: readonly Check[],
  world: World,
  signal: AbortSignal,
): Promise<readonly Reported[]> => {
  const reported: Reported[] = [];
  for (const check of checks) {
    const findings = await run(check, world, signal);
    reported.push(...findings.map((finding) => ({ check: check.name, ...finding })));
  }
  return reported;
};

const run = async (check: Check, world: World, signal: AbortSignal): Promise<readonly Finding[]> => {
  try {
    return await check.run(world, signal);
  } catch (error) {
    if (error instanceof MissingFact)
      return [{ status: 'skip', message: `needs what check ${error.check} could not find` }];
    if (error instanceof SvkError)
      return [{ status: 'unknown', message: error.message, fix: 'mend what the message names, then ask again' }];
    throw error;
  }
};
