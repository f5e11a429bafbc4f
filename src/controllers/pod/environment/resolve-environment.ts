import type { ResolvedArgument, ResolvedContainer, ResolvedEnvironment } from '../../../model/environment.ts';
import type { Container, Pod } from '../../../model/kubernetes.ts';
import type { Problem } from '../../../model/problem.ts';
import { envFromVariables } from './env-from.ts';
import { envVariable, lateMessage } from './env-variables.ts';
import { type EnvironmentEvent, EnvironmentReport } from './environment-report.ts';
import type { EnvironmentSources } from './environment-sources.ts';
import { serviceVariables } from './service-variables.ts';
import { expandFrom, isResolved, type Variable } from './variables.ts';

/**
 * What came of a pod's environment. In this order:
 * - any `problems`: the pod can never run here; refuse it, together with the provider's own problems.
 * - any `waiting`: something mandatory is not there (yet); nothing may be launched.
 * - else `environment` is complete.
 */
export interface EnvironmentResolution {
  /** What could be resolved; complete only without `problems` and `waiting`. May hold secret values. */
  readonly environment: ResolvedEnvironment;
  readonly problems: readonly Problem[];
  readonly waiting: readonly ContainerWaiting[];
  /** Warning events; never with a value. */
  readonly events: readonly EnvironmentEvent[];
}

/** A container's waiting state, reason and message as kubelet's. */
export interface ContainerWaiting {
  readonly container: string;
  readonly reason: 'CreateContainerConfigError';
  readonly message: string;
}

/**
 * Resolves environment, command and args of every container by kubelet's rules. Pure. Order: service variables, then
 * `envFrom` in the order of its sources, then `env`; the last of equal names wins. `$(NAME)` is expanded in values of
 * `env` from what stands before them, in command and args from everything; unknown names stay as they are.
 */
export const resolveEnvironment = (pod: Pod, sources: EnvironmentSources): EnvironmentResolution => {
  const named = [...pathsOf(pod, 'initContainers'), ...pathsOf(pod, 'containers')];
  const resolved = named.map(({ container, path }) => {
    const report = new EnvironmentReport();
    return { container, report, environment: resolveContainer(pod, container, path, sources, report) };
  });
  return {
    environment: Object.fromEntries(resolved.map(({ container, environment }) => [container.name, environment])),
    problems: resolved.flatMap(({ report }) => report.problems),
    waiting: resolved.flatMap(({ container, report }) =>
      report.waitingFor === undefined
        ? []
        : [{ container: container.name, reason: 'CreateContainerConfigError', message: report.waitingFor }],
    ),
    events: resolved.flatMap(({ report }) => report.events),
  };
};

const pathsOf = (pod: Pod, list: 'initContainers' | 'containers'): { container: Container; path: string }[] =>
  (pod.spec?.[list] ?? []).map((container, index) => ({ container, path: `spec.${list}[${index}]` }));

const resolveContainer = (
  pod: Pod,
  container: Container,
  path: string,
  sources: EnvironmentSources,
  report: EnvironmentReport,
): ResolvedContainer => {
  const namespace = pod.metadata?.namespace ?? 'default';
  const services = new Map(
    serviceVariables(sources.services, { namespace, links: pod.spec?.enableServiceLinks !== false }).map(
      ([name, value]) => [name, serviceVariable(name, value)],
    ),
  );
  const own = new Map<string, Variable>();
  const known = (name: string): Variable | undefined => own.get(name) ?? services.get(name);

  for (const variable of envFromVariables(container, namespace, sources, report)) own.set(variable.name, variable);
  for (const [index, entry] of (container.env ?? []).entries()) {
    const context = { pod, container, namespace, path: `${path}.env[${index}]`, sources, report };
    const variable = envVariable(entry, known, context);
    if (variable) own.set(variable.name, variable);
  }

  const { command, args } = container;
  const words = (list: readonly string[], field: string): readonly ResolvedArgument[] =>
    list.map((word, index) => resolveWord(word, `${path}.${field}[${index}]`, known, report));
  const inherited = [...services.values()].filter(({ name }) => !own.has(name));
  return {
    env: [...inherited, ...own.values()].filter(isResolved),
    ...(command && command.length > 0 && { command: words(command, 'command') }),
    ...(args && args.length > 0 && { args: words(args, 'args') }),
  };
};

const serviceVariable = (name: string, value: string): Variable => ({
  name,
  value,
  origin: 'template',
  ...(!name.startsWith('KUBERNETES_') && { serviceLink: true }),
});

const resolveWord = (
  word: string,
  path: string,
  known: (name: string) => Variable | undefined,
  report: EnvironmentReport,
): ResolvedArgument => {
  const { value, origin, late, secretVariables } = expandFrom(word, known);
  if (late.length > 0) report.refuse(path, lateMessage('the command line', late.map((one) => `$(${one})`).join(', ')));
  return { value, origin, ...(secretVariables.length > 0 && { variables: secretVariables }) };
};
