import type { Failure } from '@aws-sdk/client-ecs';
import type { LaunchResult, RefusalCause } from '../../../model/launch.ts';
import type { AwsFault } from '../aws/errors.ts';

type Refused = Extract<LaunchResult, { readonly kind: 'refused' }>;

const QUOTA = /limit on the number of|quota|vCPUs? .*limit|LimitExceeded/i;
const CAPACITY = /capacity is unavailable|no .*capacity|RESOURCE:|AGENT|insufficient capacity/i;
const THROTTLE = /rate exceeded|throttl|request limit exceeded/i;

/** Exceptions of RunTask that say for certain that this request, sent again, would start nothing. */
const FINAL = new Set([
  'BlockedException',
  'ClientException',
  'ClusterNotFoundException',
  'InvalidParameterException',
  'LimitExceededException',
  'PlatformTaskDefinitionIncompatibilityException',
  'PlatformUnknownException',
  'UnsupportedFeatureException',
  'ValidationException',
]);

/** A 200 answer with `failures`: nothing was started, and nothing will be under this token. */
export const refusalOfFailures = (failures: readonly Failure[]): Refused => {
  const message = failures
    .map(({ reason = 'no reason given', detail }) => (detail ? `${reason}: ${detail}` : reason))
    .join('; ');
  return { kind: 'refused', cause: causeOf(message, 'configuration'), final: true, message };
};

/** An exception that is an answer (`kind` neither `unanswered` nor `server`). */
export const refusalOfFault = ({ kind, name, message }: AwsFault): Refused => {
  const text = `${name}: ${message}`;
  if (kind === 'throttled') return { kind: 'refused', cause: 'throttled', final: false, message: text };
  return { kind: 'refused', cause: causeOf(text, 'configuration'), final: FINAL.has(name), message: text };
};

/** The definition was deregistered or deleted behind our back. */
export const isDefinitionGone = (text: string): boolean =>
  /task ?definition (is inactive|is not active|not found|does not exist)|unable to describe task definition/i.test(
    text,
  );

const causeOf = (text: string, fallback: RefusalCause): RefusalCause => {
  if (THROTTLE.test(text)) return 'throttled';
  if (QUOTA.test(text)) return 'quota';
  return CAPACITY.test(text) ? 'capacity' : fallback;
};
