import * as z from 'zod/mini';
import { parseInput } from '../parse-input.ts';
import { invalidParameter } from '../service-error.ts';
import { knownGroup, knownStream, type LogsContext, sizeOf } from './context.ts';

const schema = z.object({
  logGroupName: z.optional(z.string()),
  logStreamName: z.optional(z.string()),
  logEvents: z.optional(z.array(z.object({ timestamp: z.number(), message: z.string() }))),
});

const maxBatchBytes = 1_048_576;
const fourteenDaysMs = 14 * 86_400_000;
const twoHoursMs = 2 * 3_600_000;

/** PutLogEvents: in order of time, at most 10,000 events, 1 MB and 24 hours; what is too old or too new is left out and told. */
export const putLogEvents = (context: LogsContext, input: unknown): unknown => {
  const { logGroupName, logStreamName, logEvents = [] } = parseInput(schema, input);
  const group = knownGroup(context, logGroupName);
  const stream = knownStream(group, logStreamName);
  if (logEvents.length === 0 || logEvents.length > 10_000) {
    throw invalidParameter("Value at 'logEvents' must have 1 to 10000 items");
  }
  if (logEvents.some(({ message }) => message === '')) throw invalidParameter('Log event message must not be empty');
  if (logEvents.reduce((sum, event) => sum + sizeOf(event), 0) > maxBatchBytes) {
    throw invalidParameter(`Upload too large: the batch exceeds ${maxBatchBytes} bytes`);
  }
  const times = logEvents.map(({ timestamp }) => timestamp);
  if (times.some((time, index) => index > 0 && time < (times[index - 1] ?? 0))) {
    throw invalidParameter('Log events in a single PutLogEvents request must be in chronological order.');
  }
  if ((times.at(-1) ?? 0) - (times[0] ?? 0) > 86_400_000) {
    throw invalidParameter('The batch of log events in a single PutLogEvents request cannot span more than 24 hours.');
  }
  const now = context.clock.now();
  const tooOld = times.filter((time) => time < now - fourteenDaysMs).length;
  const tooNew = times.findIndex((time) => time > now + twoHoursMs);
  const accepted = logEvents.slice(tooOld, tooNew < 0 ? undefined : tooNew);
  context.store.append(group.name, stream.name, accepted, now);
  return {
    nextSequenceToken: String(now),
    ...((tooOld > 0 || tooNew >= 0) && {
      rejectedLogEventsInfo: {
        ...(tooOld > 0 && { tooOldLogEventEndIndex: tooOld }),
        ...(tooNew >= 0 && { tooNewLogEventStartIndex: tooNew }),
      },
    }),
  };
};
