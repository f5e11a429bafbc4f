import type { TaskRecord } from './tasks/task-record.ts';
import { attachmentShape, containerShape, inIso, taskShape } from './tasks/task-shape.ts';

/** An event as EventBridge hands it to its targets. */
export interface EventBridgeEvent {
  readonly version: '0';
  readonly id: string;
  readonly 'detail-type': string;
  readonly source: string;
  readonly account: string;
  /** Whole seconds, as EventBridge writes it. */
  readonly time: string;
  readonly region: string;
  readonly resources: readonly string[];
  readonly detail: Readonly<Record<string, unknown>>;
}

/** The parts of an event that are equal for all of them. */
export interface Envelope {
  readonly id: string;
  readonly account: string;
  readonly region: string;
  readonly at: number;
}

/** "ECS Task State Change": the task without tags and without health. */
export const taskStateChange = (task: TaskRecord, envelope: Envelope): EventBridgeEvent => ({
  ...head(envelope, 'ECS Task State Change', 'aws.ecs', [task.arn]),
  detail: {
    ...taskShape(task, inIso),
    attachments: [attachmentShape(task.attachment, 'eni', `${envelope.region}.compute.internal`)],
    containers: task.containers.map((container) => containerShape(task, container, inIso)),
    updatedAt: inIso(task.updatedAt),
  },
});

/** "AWS Health Event": the task will be retired. */
export const retirementNotice = (task: TaskRecord, stopsAt: number, envelope: Envelope): EventBridgeEvent => ({
  ...head(envelope, 'AWS Health Event', 'aws.health', [task.arn]),
  detail: {
    service: 'ECS',
    eventTypeCode: 'AWS_ECS_TASK_PATCHING_RETIREMENT',
    eventTypeCategory: 'scheduledChange',
    statusCode: 'upcoming',
    startTime: new Date(stopsAt).toUTCString(),
    affectedEntities: [{ entityValue: task.arn, status: 'PENDING' }],
  },
});

const head = (
  { id, account, region, at }: Envelope,
  detailType: string,
  source: string,
  resources: readonly string[],
): Omit<EventBridgeEvent, 'detail'> => ({
  version: '0',
  id,
  'detail-type': detailType,
  source,
  account,
  time: new Date(at).toISOString().replace(/\.\d+Z$/, 'Z'),
  region,
  resources,
});
