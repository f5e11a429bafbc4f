import { type FieldError, invalid, required } from '../model/field-error.ts';
import { type KubernetesObject, objectOf, textOf, withoutUndefined } from '../model/object.ts';
import { selectableFields } from '../select/fields.ts';
import { eventPrinter } from '../tables/events.ts';
import { subdomainFaults } from '../values/names.ts';
import { coreDefaults, plainStrategy, type ResourceDefinition, type Strategy } from './definition.ts';

const NOTE_LIMIT = 1_024;

/** `ValidateEventCreate`: an event with `eventTime` is held to the rules of events.k8s.io, others only to the namespace's. */
const validate = (event: KubernetesObject): readonly FieldError[] => {
  const namespace = event.metadata.namespace ?? '';
  const about = textOf(objectOf(event['involvedObject'])['namespace']) ?? '';
  if (!textOf(event['eventTime'])) {
    const fits = about === '' ? namespace === 'default' : about === namespace;
    return fits ? [] : [invalid('involvedObject.namespace', about, 'does not match event.namespace')];
  }
  const errors: FieldError[] = [];
  if (about === '' && namespace !== 'default' && namespace !== 'kube-system') {
    errors.push(invalid('involvedObject.namespace', about, 'does not match event.namespace'));
  }
  for (const field of ['reportingComponent', 'reportingInstance', 'action', 'reason']) {
    if (!textOf(event[field])) errors.push(required(field));
  }
  if (Buffer.byteLength(textOf(event['message']) ?? '') > NOTE_LIMIT) {
    errors.push(invalid('message', '', `can have at most ${NOTE_LIMIT} bytes`));
  }
  return errors;
};

const strategy: Strategy = { ...plainStrategy, validate };

const fields = selectableFields(
  [
    'involvedObject.kind',
    'involvedObject.namespace',
    'involvedObject.name',
    'involvedObject.uid',
    'involvedObject.apiVersion',
    'involvedObject.resourceVersion',
    'involvedObject.fieldPath',
    'reason',
    'reportingComponent',
    'type',
  ],
  {
    source: (event) => textOf(objectOf(event['source'])['component']) ?? textOf(event['reportingComponent']) ?? '',
  },
);

/** Events of core/v1: the form in which they are stored. */
export const events: ResourceDefinition = {
  ...coreDefaults,
  resource: 'events',
  singular: 'event',
  kind: 'Event',
  shortNames: ['ev'],
  type: 'io.k8s.api.core.v1.Event',
  createsOnUpdate: true,
  nameFaults: subdomainFaults,
  strategy: { ...strategy, prepareCreate: withEmptySource },
  fields,
  printer: eventPrinter,
};

/** The same events under events.k8s.io/v1, as client-go's new recorder and kubectl's older `events` ask for them. */
export const eventsOfGroup: ResourceDefinition = {
  ...events,
  group: 'events.k8s.io',
  type: 'io.k8s.api.events.v1.Event',
  conversion: { fromStored: toGroupForm, toStored: toCoreForm },
};

function withEmptySource(event: KubernetesObject): KubernetesObject {
  return { source: {}, reportingComponent: '', reportingInstance: '', ...event };
}

function toGroupForm(event: KubernetesObject): KubernetesObject {
  const { involvedObject, message, source, firstTimestamp, lastTimestamp, count, reportingComponent, ...same } = event;
  return withoutUndefined({
    ...same,
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    metadata: event.metadata,
    regarding: involvedObject,
    note: message,
    reportingController: reportingComponent,
    deprecatedSource: source,
    deprecatedFirstTimestamp: firstTimestamp,
    deprecatedLastTimestamp: lastTimestamp,
    deprecatedCount: count,
  });
}

function toCoreForm(event: KubernetesObject): KubernetesObject {
  const {
    regarding,
    note,
    reportingController,
    deprecatedSource,
    deprecatedFirstTimestamp,
    deprecatedLastTimestamp,
    deprecatedCount,
    ...same
  } = event;
  return withoutUndefined({
    ...same,
    apiVersion: 'v1',
    kind: 'Event',
    metadata: event.metadata,
    involvedObject: regarding ?? {},
    message: note,
    reportingComponent: reportingController,
    source: deprecatedSource,
    firstTimestamp: deprecatedFirstTimestamp,
    lastTimestamp: deprecatedLastTimestamp,
    count: deprecatedCount,
  });
}
