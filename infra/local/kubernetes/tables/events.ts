import type { KubernetesEvent } from '../../../../src/model/kubernetes.ts';
import type { Printer } from '../resources/definition.ts';
import { asEvent } from '../resources/typed.ts';
import { ageOf } from './age.ts';
import { column, NAME, wide } from './columns.ts';

/** Events as `printEvent` of kubernetes/pkg/printers prints them; `object` is in the core/v1 form. */
export const eventPrinter: Printer = {
  columns: [
    column('Last Seen', 'The time at which the most recent occurrence of this event was recorded.'),
    column('Type', 'Type of this event (Normal, Warning), new types could be added in the future'),
    column(
      'Reason',
      "This should be a short, machine understandable string that gives the reason for the transition into the object's current status.",
    ),
    column('Object', 'The object that this event is about.'),
    wide(
      'Subobject',
      'If referring to a piece of an object instead of an entire object, a JSON/Go field access statement.',
    ),
    wide('Source', 'The component reporting this event. Should be a short machine understandable string.'),
    column('Message', 'A human-readable description of the status of this operation.'),
    wide('First Seen', 'The time at which the event was first recorded. (Time of server receipt is in TypeMeta.)'),
    wide('Count', 'The number of times this event has occurred.'),
    { ...NAME, priority: 1 },
  ],
  cells: (object, now) => {
    const event = asEvent(object);
    const { firstTimestamp, eventTime, lastTimestamp, series } = event;
    const firstSeen = ageOf(firstTimestamp ?? eventTime, now);
    return [
      series ? ageOf(series.lastObservedTime, now) : lastTimestamp ? ageOf(lastTimestamp, now) : firstSeen,
      event.type ?? '',
      event.reason ?? '',
      targetOf(event),
      event.involvedObject.fieldPath ?? '',
      sourceOf(event),
      (event.message ?? '').trim(),
      firstSeen,
      series?.count ?? (event.count || 1),
      event.metadata.name ?? '',
    ];
  },
};

const targetOf = ({ involvedObject: { kind, name } }: KubernetesEvent): string => {
  const word = (kind ?? '').toLowerCase();
  return name ? `${word}/${name}` : word;
};

const sourceOf = ({ source, reportingComponent, reportingInstance }: KubernetesEvent): string =>
  [source?.component || reportingComponent || '', source?.host || reportingInstance || '']
    .filter((part, index) => index === 0 || part !== '')
    .join(', ');
