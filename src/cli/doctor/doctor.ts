import { SystemClock } from '../../adapters/system/system-clock.ts';
import { PermanentError, TransientError } from '../../core/errors.ts';
import { type CommandContext, regionOf } from '../commands/command-context.ts';
import { UsageError } from '../exit-codes.ts';
import { namesOf } from '../manifests/stack-facts.ts';
import { ALL_CHECKS } from './all-checks.ts';
import type { Check } from './check.ts';
import type { FindingStatus, Reported } from './finding.ts';
import { openAccount } from './open-account.ts';
import { openWorld } from './open-world.ts';
import { runChecks } from './run-checks.ts';

const TIME_LIMIT_MS = 120_000;

export interface DoctorOptions {
  readonly deployment: string;
  readonly region?: string;
  readonly kubeconfig?: string;
  readonly context?: string;
  /** Names apart by commas. */
  readonly namespaces?: string;
  /** `namespace/name` */
  readonly pod?: string;
  /** Names of checks, apart by commas. */
  readonly only?: string;
  readonly output: string;
}

/**
 * `svk doctor`: looks at a deployment and its cluster without changing anything, and tells what is wrong and what mends it.
 * @throws {PermanentError} where something is wrong. @throws {TransientError} where nothing is, as far as could be asked.
 */
export const examine = async (options: DoctorOptions, context: CommandContext): Promise<void> => {
  const checks = chosen(options.only);
  const region = regionOf(options.region, context);
  const clock = new SystemClock();
  const signal = AbortSignal.timeout(TIME_LIMIT_MS);
  const account = openAccount(region, context, () => clock.now());
  const world = openWorld(
    {
      deployment: options.deployment,
      region,
      grants: namesOf(options.namespaces ?? ''),
      pod: options.pod,
      ...(options.kubeconfig !== undefined && { kubeconfig: options.kubeconfig }),
      ...(options.context !== undefined && { context: options.context }),
    },
    account,
    { clock, signal, environment: context.environment },
  );
  try {
    const findings = await runChecks(checks, world, signal);
    context.print(
      options.output === 'json'
        ? JSON.stringify({ deployment: options.deployment, region, findings })
        : findings.map(textOf).join('\n'),
    );
    conclude(findings);
  } finally {
    world.close();
    account.close();
  }
};

const chosen = (only: string | undefined): readonly Check[] => {
  if (only === undefined) return ALL_CHECKS;
  const names = namesOf(only);
  const known = ALL_CHECKS.map(({ name }) => name);
  const strange = names.filter((name) => !known.includes(name));
  if (names.length === 0) throw new UsageError(`--only names no check; there are ${known.join(', ')}`);
  if (strange.length > 0)
    throw new UsageError(`--only: no check "${strange.join(', ')}"; there are ${known.join(', ')}`);
  return ALL_CHECKS.filter(({ name }) => names.includes(name));
};

const WORDS: Readonly<Record<FindingStatus, string>> = {
  pass: 'pass',
  warn: 'WARN',
  fail: 'FAIL',
  unknown: '????',
  skip: 'skip',
};

const textOf = ({ check, status, message, fix }: Reported): string =>
  `${WORDS[status]}  ${check.padEnd(14)}  ${message}${fix === undefined ? '' : `\n      ${' '.repeat(14)}  fix: ${fix}`}`;

const conclude = (findings: readonly Reported[]): void => {
  const count = (wanted: FindingStatus): number => findings.filter(({ status }) => status === wanted).length;
  if (count('fail') > 0) throw new PermanentError(`${count('fail')} of ${findings.length} findings are failures`);
  if (count('unknown') > 0)
    throw new TransientError(`${count('unknown')} of ${findings.length} questions could not be asked`);
};
