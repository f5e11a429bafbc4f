import { sha256Hex } from '../../../core/digest.ts';
import { InvalidError, PermanentError, ThrottledError } from '../../../core/errors.ts';
import type { Pod } from '../../../model/kubernetes.ts';
import type { LaunchRequest, LaunchToken } from '../../../model/launch.ts';
import type { PodEvent } from '../../../model/pod-event.ts';
import type { Problem } from '../../../model/problem.ts';
import { currentAttempt, withAttempt } from '../attempts.ts';
import { fetchSources } from '../environment/fetch-sources.ts';
import { resolveEnvironment } from '../environment/resolve-environment.ts';
import { withBackOff } from '../plan/back-off.ts';
import { fingerprintOf } from '../plan/launch.ts';
import { predatesTable } from '../plan/recovery.ts';
import type { PodSync } from '../pod-sync.ts';
import { ignoredReason, sizeReason, unsupportedReason } from '../provider-words.ts';
import { PULL_SECRET_FAULT, pullSecretsOf, registryLogins } from '../pull-secrets/registry-logins.ts';
import { refusalMessage } from '../status/waiting.ts';
import { pendingText } from './pending-text.ts';

/**
 * Makes everything a launch needs and renders its request. What cannot be had becomes a refusal with every problem at
 * once, what is not there yet a back-off. Nothing is started.
 */
export const prepare = async (
  sync: PodSync,
  number: { readonly attempt: number; readonly try: number },
): Promise<void> => {
  const { provider, kubernetes } = sync.dependencies;
  const { pod: reading, node, identity } = sync.view;
  if (reading.kind !== 'found') return;
  const { pod } = reading;
  const needsLogin = (image: string): boolean => provider.pullsWithLogin?.(image) === true;
  const pullSecrets = pullSecretsOf(pod, needsLogin);
  const fetched = await fetchSources(pod, kubernetes.sources, sync.signal, pullSecrets);
  const allocatable = provider.allocatable?.(pod);
  const resolution = resolveEnvironment(pod, { node, ...fetched, ...(allocatable && { allocatable }) });
  const { logins, faults } = registryLogins(pod, pullSecrets, fetched.secrets, needsLogin);
  const pullFaults = faults.map((message) => ({ reason: PULL_SECRET_FAULT, message }));
  announce(sync, sourceEvents([...resolution.events, ...pullFaults], number.attempt));

  const preparation = provider.prepare(pod, { node, environment: resolution.environment, logins });
  const problems = [...resolution.problems, ...(preparation.ok ? [] : preparation.problems)];
  if (problems.length > 0 || !preparation.ok) return refuse(sync, pod, problems);
  const [waiting] = resolution.waiting;
  if (waiting) return holdBack(sync, waiting.reason, waiting.message);

  const { prepared, notes, summary } = preparation;
  const token: LaunchToken = { podUid: identity.uid, ...number };
  const request = await provision(sync, pod, () => provider.provision(prepared, token, sync.signal));
  if (!request) return;
  announce(sync, preparationEvents(notes, summary, provider.title));
  const { refusal: _refusal, ...state } = sync.state;
  const images = Object.fromEntries((pod.spec?.containers ?? []).map(({ name, image }) => [name, image ?? '']));
  const attempt = {
    ...currentAttempt(state),
    ...number,
    images,
    // No refusal settles a launch of the same token that a table which was lost has held.
    launch: { request, unknown: predatesTable(pod, sync.view.nodeRow ?? {}) },
  };
  sync.know({ state: withAttempt(state, attempt) });
};

/** Refuses the pod for what it asks for. A pod that nobody would replace for ever fails at once; else it stays Pending. */
export const refuse = (sync: PodSync, pod: Pod, problems: readonly Problem[]): void => {
  const reason = unsupportedReason(sync.dependencies.provider.title);
  const refusal = { fingerprint: fingerprintOf(pod), reason, problems, at: sync.now };
  const fails = (pod.spec?.restartPolicy ?? 'Always') !== 'Always';
  const failure = { reason, message: refusalMessage(problems), at: sync.now };
  sync.know({ state: { ...sync.state, refusal, ...(fails && { failure }) } });
};

const holdBack = (sync: PodSync, reason: string, message: string): void =>
  sync.know({
    state: withBackOff(sync.state, { reason, message, now: sync.now, chance: sync.dependencies.random.next() }),
  });

/** Undefined where the provider has said no; the state then says why. */
const provision = async (
  sync: PodSync,
  pod: Pod,
  make: () => Promise<LaunchRequest>,
): Promise<LaunchRequest | undefined> => {
  sync.claim.guard();
  try {
    return await make();
  } catch (error) {
    if (error instanceof InvalidError) refuse(sync, pod, problemsOf(error));
    else if (error instanceof ThrottledError) holdBack(sync, 'Throttled', pendingText('throttled', error.message));
    else if (error instanceof PermanentError) {
      sync.dependencies.logger.error('launch not prepared: the configuration is wrong', {
        pod: sync.view.identity,
        error,
      });
      holdBack(sync, 'ProviderConfiguration', pendingText('configuration', error.message));
    } else throw error;
    return undefined;
  }
};

const problemsOf = ({ problems, message }: InvalidError): readonly Problem[] =>
  problems.length > 0 ? problems : [{ field: 'spec', message }];

const announce = (sync: PodSync, events: readonly PodEvent[]): void =>
  sync.know({ announced: [...sync.view.announced, ...events] });

/** What is the matter with objects the pod refers to. */
const sourceEvents = (
  events: readonly { readonly reason: string; readonly message: string }[],
  attempt: number,
): readonly PodEvent[] =>
  events.map(({ reason, message }) => ({
    key: `${attempt}/${reason}/${sha256Hex(message, 8)}`,
    type: 'Warning',
    reason,
    message,
  }));

const preparationEvents = (
  notes: readonly Problem[],
  summary: string,
  title: string | undefined,
): readonly PodEvent[] => [
  ...(notes.length === 0
    ? []
    : [
        {
          key: `0/${ignoredReason(title)}/${sha256Hex(refusalMessage(notes), 8)}`,
          type: 'Warning' as const,
          reason: ignoredReason(title),
          message: refusalMessage(notes),
        },
      ]),
  ...(summary === ''
    ? []
    : [
        {
          key: `0/${sizeReason(title)}/${sha256Hex(summary, 8)}`,
          type: 'Normal' as const,
          reason: sizeReason(title),
          message: summary,
        },
      ]),
];
