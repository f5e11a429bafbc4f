import * as z from 'zod/mini';

/** The SDK gives dates, events carry RFC 3339 texts; here both are milliseconds since the epoch, if they are times at all. */
const time = z.pipe(
  z.union([z.date(), z.string(), z.number()]),
  z.transform((value) => {
    const milliseconds = new Date(value).getTime();
    return Number.isNaN(milliseconds) ? undefined : milliseconds;
  }),
);

const pair = z.looseObject({ name: z.optional(z.string()), value: z.optional(z.string()) });

const container = z.looseObject({
  name: z.optional(z.string()),
  image: z.optional(z.string()),
  imageDigest: z.optional(z.string()),
  runtimeId: z.optional(z.string()),
  lastStatus: z.optional(z.string()),
  exitCode: z.optional(z.nullable(z.number())),
  reason: z.optional(z.string()),
  healthStatus: z.optional(z.string()),
  managedAgents: z.optional(
    z.array(
      z.looseObject({
        name: z.optional(z.string()),
        lastStatus: z.optional(z.string()),
        reason: z.optional(z.string()),
      }),
    ),
  ),
  networkInterfaces: z.optional(
    z.array(z.looseObject({ privateIpv4Address: z.optional(z.string()), ipv6Address: z.optional(z.string()) })),
  ),
});

const task = z.looseObject({
  taskArn: z.string(),
  clusterArn: z.optional(z.string()),
  startedBy: z.optional(z.string()),
  group: z.optional(z.string()),
  lastStatus: z.optional(z.string()),
  desiredStatus: z.optional(z.string()),
  version: z.optional(z.number()),
  enableExecuteCommand: z.optional(z.boolean()),
  stopCode: z.optional(z.string()),
  stoppedReason: z.optional(z.string()),
  createdAt: z.optional(time),
  pullStartedAt: z.optional(time),
  pullStoppedAt: z.optional(time),
  startedAt: z.optional(time),
  executionStoppedAt: z.optional(time),
  stoppedAt: z.optional(time),
  attachments: z.optional(z.array(z.looseObject({ type: z.optional(z.string()), details: z.optional(z.array(pair)) }))),
  containers: z.optional(z.array(container)),
});

/** A task as DescribeTasks and state-change events show it, as far as we read it. */
export type EcsTask = z.infer<typeof task>;
export type EcsContainer = z.infer<typeof container>;

/** Undefined for anything that is no task. */
export const parseTask = (value: unknown): EcsTask | undefined => {
  const parsed = task.safeParse(value);
  return parsed.success ? parsed.data : undefined;
};
