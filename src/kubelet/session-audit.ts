import { SvkError } from '../core/errors.ts';
import type { Logger } from '../ports/logger.ts';
import type { Caller } from './caller.ts';
import type { StreamRoute } from './route.ts';

/** Who reaches into which pod. Of a command only the program's name: arguments hold passwords. */
export interface SessionSubject {
  readonly session: StreamRoute['kind'];
  readonly user: string;
  readonly namespace: string;
  readonly pod: string;
  readonly podUid: string;
  readonly container?: string;
  readonly program?: string;
}

/** How a session went. */
export interface SessionOutcome {
  /** `http`: buffered in the answer of one request. */
  readonly transport: 'spdy' | 'websocket' | 'http';
  /** Negotiated sub-protocol of the transport. */
  readonly protocol?: string;
  readonly durationMs: number;
  /** Payload from the caller and to it. */
  readonly bytesIn: number;
  readonly bytesOut: number;
  /** `exit <code>`, `ended`, `cut: <why>` or `failed: <class of the error>`. */
  readonly result: string;
}

export const subjectOf = (
  { kind, namespace, pod, container }: StreamRoute,
  { user }: Caller,
  details: { readonly podUid: string; readonly program?: string },
): SessionSubject => ({
  session: kind,
  user: user.username,
  namespace,
  pod,
  ...details,
  ...(container === undefined ? {} : { container }),
});

/** The one line that every session leaves, when it is over. */
export const auditSession = (logger: Logger, subject: SessionSubject, outcome: SessionOutcome): void =>
  logger.info('session ended', { ...subject, ...outcome });

/** The class of an error as the audit line names it: its text may repeat what the caller sent. */
export const failureResult = (error: unknown): string =>
  `failed: ${error instanceof SvkError ? error.disposition : 'internal'}`;

/** What a caller is told of an error that ended its session. What is no error of ours stays inside. */
export const sessionMessage = (error: unknown): string =>
  error instanceof SvkError ? error.message : 'internal error';
