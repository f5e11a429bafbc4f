import { codeOf } from '../../adapters/kubernetes/network-error.ts';
import { dispositionOf } from '../../core/errors.ts';
import type { LaunchResult } from '../../model/launch.ts';
import { launchedSchema } from './protocol.ts';

/** What the service's answer to a launch says. One that is not as documented says nothing: the workload may be there. */
export const resultOfAnswer = (answer: unknown): LaunchResult => {
  const parsed = launchedSchema.safeParse(answer);
  return parsed.success
    ? parsed.data
    : { kind: 'unknown', message: 'the answer to the launch is not as docs/web-provider.openapi.yaml says' };
};

/** Failures before there was a connection: no byte of the request has left. */
const NOT_SENT = new Set(['EAI_AGAIN', 'ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND']);

/**
 * What a launch without such an answer means. By the protocol 3xx and 4xx say that this request has started nothing; they
 * never settle the token, because any proxy may have given them. Silence and 5xx say nothing at all.
 */
export const resultOfError = (error: unknown): LaunchResult => {
  const message = error instanceof Error ? error.message : 'the launch failed';
  const disposition = dispositionOf(error);
  if (disposition === 'throttled') return { kind: 'refused', cause: 'throttled', final: false, message };
  const code = error instanceof Error ? codeOf(error.cause) : undefined;
  const mayHaveArrived = disposition === 'transient' && !NOT_SENT.has(code ?? '');
  return mayHaveArrived
    ? { kind: 'unknown', message }
    : { kind: 'refused', cause: 'configuration', final: false, message };
};
