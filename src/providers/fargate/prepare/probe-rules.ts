import {
  CHECK_LIMITS,
  type ContainerCheck,
  containerCheck,
  type ProbeField,
  probeTimes,
  startupBudget,
} from '../../../model/container-check.ts';
import type { Container } from '../../../model/kubernetes.ts';
import type { Findings } from './findings.ts';

const FIELDS = ['livenessProbe', 'readinessProbe', 'startupProbe'] as const;
const [, MAX_FAILURES] = CHECK_LIMITS.failures;
const [, MAX_PERIOD_SECONDS] = CHECK_LIMITS.interval;
const [, MAX_START_SECONDS] = CHECK_LIMITS.startPeriod;

/** Rules about a container's probes: commands only, and one command for all of them. */
export const checkProbes = (container: Container, path: string, findings: Findings): void => {
  const check = containerCheck(container);
  for (const field of FIELDS) {
    if (container[field] !== undefined && container[field].exec === undefined)
      findings.refuse(
        `${path}.${field}`,
        'probes over the network are not supported yet: let it run a command (exec), or remove it',
      );
    else if (check && container[field] !== undefined) noteDifferences(container, field, check, path, findings);
  }
};

const noteDifferences = (
  container: Container,
  field: ProbeField,
  check: ContainerCheck,
  path: string,
  findings: Findings,
): void => {
  if (check.ignores.includes(field))
    return findings.note(
      `${path}.${field}`,
      `a container has one health check, which runs the command of ${check.serves[0]}: this one counts as passed; give both the same command`,
    );
  const probe = container[field];
  const { period, failures } = probeTimes(probe);
  if ((probe?.successThreshold ?? 1) > 1)
    findings.note(`${path}.${field}.successThreshold`, 'one success is enough for a health check');
  if (probe?.terminationGracePeriodSeconds !== undefined)
    findings.note(`${path}.${field}.terminationGracePeriodSeconds`, "the pod's own grace period applies");
  if (period > MAX_PERIOD_SECONDS)
    findings.note(`${path}.${field}.periodSeconds`, `the health check runs every ${MAX_PERIOD_SECONDS} seconds`);
  if (field === 'readinessProbe' && failures > MAX_FAILURES)
    findings.note(`${path}.${field}.failureThreshold`, `the health check fails after ${MAX_FAILURES} failures`);
  if (field === 'startupProbe' && startupBudget(probe) > MAX_START_SECONDS && check.serves.length > 1)
    findings.note(
      `${path}.${field}.failureThreshold`,
      `failures count after ${MAX_START_SECONDS} seconds; the container is not restarted before its time is over`,
    );
};
