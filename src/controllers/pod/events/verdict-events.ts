import { sha256Hex } from '../../../core/digest.ts';
import type { Container, Pod } from '../../../model/kubernetes.ts';
import type { PodEvent } from '../../../model/pod-event.ts';
import type { PodState } from '../../../model/pod-row.ts';
import { launchedAttempt } from '../attempts.ts';
import { isUnsupported } from '../provider-words.ts';
import { refusalText } from '../status/waiting.ts';
import { isOver } from '../workloads.ts';

/** What we have decided about the pod, and edits of it that cannot reach what runs. */
export const verdictEvents = (pod: Pod, state: PodState): readonly PodEvent[] => [
  ...failureEvents(state),
  ...refusalEvents(state),
  ...updateEvents(pod, state),
];

const failureEvents = ({ failure }: PodState): readonly PodEvent[] =>
  failure === undefined || isUnsupported(failure.reason)
    ? []
    : [
        {
          key: `0/${failure.reason}`,
          // kubelet's own deadline event is a normal one.
          type: failure.reason === 'DeadlineExceeded' ? 'Normal' : 'Warning',
          reason: failure.reason,
          message: failure.message,
          at: failure.at,
        },
      ];

/** One event with every problem; the same problems again are not told twice. */
const refusalEvents = ({ refusal }: PodState): readonly PodEvent[] => {
  if (!refusal) return [];
  const { reason, message } = refusalText(refusal);
  return [{ key: `0/${reason}/${sha256Hex(message, 8)}`, type: 'Warning', reason, message, at: refusal.at }];
};

/** A new image reaches the next attempt only: nothing in a running task can be exchanged. */
const updateEvents = ({ spec }: Pod, state: PodState): readonly PodEvent[] => {
  const attempt = launchedAttempt(state);
  if (!attempt || isOver(attempt)) return [];
  return (spec?.containers ?? []).flatMap(({ name, image }: Container) => {
    const launched = attempt.images?.[name];
    return launched === undefined || launched === image
      ? []
      : [
          {
            key: `${attempt.attempt}/UpdateNotSupported/${name}/${sha256Hex(image ?? '', 8)}`,
            type: 'Warning' as const,
            reason: 'UpdateNotSupported',
            message: `The image of container ${name} was changed to ${JSON.stringify(image ?? '')}; the running task keeps ${JSON.stringify(launched)} until it is restarted`,
            container: name,
          },
        ];
  });
};
