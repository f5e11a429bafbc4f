import * as z from 'zod/mini';

const positive = z.number().check(z.positive());
const probability = z.number().check(z.gte(0), z.lte(1));

/** How long a fault stays: for so many uses, for so many seconds, or (neither) until it is cleared. */
const stay = { count: z.optional(z.int().check(z.positive())), forSeconds: z.optional(positive) };

/**
 * What can be made to go wrong.
 *
 * - `throttle`: ThrottlingException for one action (or all); with `dressed`, RunTask's other form, an
 *   InvalidParameterException that wraps EC2's throttling.
 * - `capacity`, `vcpu-quota`: RunTask answers 200 with `failures[]`.
 * - `outage`: a service answers 500, hangs or resets connections.
 * - `run-task-unanswered`: RunTask gives no answer, `before` or `after` the task was started.
 * - `registration-conflict`: RegisterTaskDefinition's "Too many concurrent attempts".
 * - `missing`: reads do not see `taskArn` while the fault stands; without one, new tasks are MISSING for their first
 *   `seconds` (5), as an eventually consistent read shows them.
 * - `events`: chances that an event is lost, sent twice or late.
 * - `stranger`: new tasks show a container nobody asked for.
 * - `empty-log-pages`: GetLogEvents answers empty pages before the end.
 * - `access-denied`: AccessDeniedException for one action of ECS (or all), or for one of KMS by its name, as a policy refuses
 *   it; `Decrypt` is the agent's in the container.
 * - `data-channel`: chances that a frame of an ExecuteCommand session is lost, doubled or overtaken, and its delay, in one
 *   direction or both.
 * - `data-channel-cut`: the connection of a session's client breaks off, instead of the next frame to it.
 * - `spot-interruption`, `retirement`: happen at once to one task; a retirement is announced where `noticeSeconds` is set.
 */
export const faultSchema = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('throttle'),
    action: z.optional(z.string()),
    dressed: z.optional(z.boolean()),
    ...stay,
  }),
  z.strictObject({ kind: z.literal('capacity'), capacityProvider: z.optional(z.string()), ...stay }),
  z.strictObject({ kind: z.literal('vcpu-quota'), ...stay }),
  z.strictObject({
    kind: z.literal('outage'),
    service: z.optional(z.enum(['ecs', 'logs', 'ssm', 'secretsmanager', 'kms'])),
    manner: z.optional(z.enum(['error', 'hang', 'reset'])),
    ...stay,
  }),
  z.strictObject({
    kind: z.literal('run-task-unanswered'),
    when: z.enum(['before', 'after']),
    manner: z.optional(z.enum(['hang', 'reset'])),
    ...stay,
  }),
  z.strictObject({ kind: z.literal('registration-conflict'), ...stay }),
  z.strictObject({
    kind: z.literal('missing'),
    taskArn: z.optional(z.string()),
    seconds: z.optional(positive),
    ...stay,
  }),
  z.strictObject({
    kind: z.literal('events'),
    lose: z.optional(probability),
    duplicate: z.optional(probability),
    reorder: z.optional(probability),
    ...stay,
  }),
  z.strictObject({ kind: z.literal('stranger'), name: z.optional(z.string()), ...stay }),
  z.strictObject({ kind: z.literal('empty-log-pages'), ...stay }),
  z.strictObject({ kind: z.literal('access-denied'), action: z.optional(z.string()), ...stay }),
  z.strictObject({
    kind: z.literal('data-channel'),
    towards: z.optional(z.enum(['client', 'agent'])),
    drop: z.optional(probability),
    duplicate: z.optional(probability),
    reorder: z.optional(probability),
    delayMs: z.optional(positive),
    ...stay,
  }),
  z.strictObject({ kind: z.literal('data-channel-cut'), ...stay }),
  z.strictObject({ kind: z.literal('spot-interruption'), taskArn: z.string() }),
  z.strictObject({ kind: z.literal('retirement'), taskArn: z.string(), noticeSeconds: z.optional(positive) }),
]);

export type Fault = z.output<typeof faultSchema>;
export type FaultOf<Kind extends Fault['kind']> = Extract<Fault, { readonly kind: Kind }>;
/** Faults that happen at once, to one task. */
export type TaskFault = FaultOf<'spot-interruption' | 'retirement'>;
