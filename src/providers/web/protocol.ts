import * as z from 'zod/mini';
import { PermanentError } from '../../core/errors.ts';
import type { Workload } from '../../model/workload.ts';

/** What a service may answer. Members nobody knows are left out; what is not known is absent, never null. */

const time = z.number().check(z.minimum(0));
const count = z.int().check(z.minimum(1));
const id = z.string().check(z.minLength(1), z.maxLength(1_024));

const containerSchema = z.object({
  name: z.string(),
  state: z.enum(['waiting', 'running', 'terminated']),
  exitCode: z.exactOptional(z.int()),
  reason: z.exactOptional(z.string()),
  message: z.exactOptional(z.string()),
  image: z.exactOptional(z.string()),
  imageDigest: z.exactOptional(z.string()),
  containerId: z.exactOptional(z.string()),
  health: z.exactOptional(z.enum(['healthy', 'unhealthy', 'unknown'])),
});

const workloadShape = z.object({
  id,
  podUid: z.optional(z.string()),
  attempt: count,
  try: count,
  version: z.int().check(z.minimum(0)),
  phase: z.enum(['starting', 'running', 'stopping', 'stopped']),
  stopping: z.boolean(),
  ips: z.array(z.string()),
  createdAt: z.exactOptional(time),
  pullStartedAt: z.exactOptional(time),
  pullStoppedAt: z.exactOptional(time),
  startedAt: z.exactOptional(time),
  endedAt: z.exactOptional(time),
  stoppedAt: z.exactOptional(time),
  end: z.exactOptional(
    z.object({
      kind: z.enum(['exited', 'failed-to-start', 'requested', 'disrupted']),
      reason: z.string(),
      message: z.string(),
    }),
  ),
  containers: z.array(containerSchema),
});

export const workloadSchema = z.pipe(
  workloadShape,
  z.transform(({ podUid, ...rest }): Workload => ({ podUid, ...rest })),
);

export const preparedSchema = z.discriminatedUnion('ok', [
  z.object({ ok: z.literal(true), preparation: z.string().check(z.minLength(1), z.maxLength(65_536)) }),
  z.object({
    ok: z.literal(false),
    problems: z.array(z.object({ field: z.string(), message: z.string() })).check(z.minLength(1)),
  }),
]);

export const launchedSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('started'), workload: workloadSchema }),
  z.object({
    kind: z.literal('refused'),
    cause: z.enum(['capacity', 'quota', 'throttled', 'configuration', 'invalid']),
    final: z.boolean(),
    message: z.string(),
  }),
]);

export const describedSchema = z.object({ workloads: z.array(workloadSchema), missing: z.array(z.string()) });

export const pageSchema = z.object({
  workloads: z.array(workloadSchema),
  next: z.exactOptional(z.string().check(z.minLength(1))),
});

const figures = z.object({
  name: z.string(),
  startedAt: time,
  at: time,
  cpu: z.exactOptional(
    z.object({
      usageCoreNanoSeconds: z.number().check(z.minimum(0)),
      usageNanoCores: z.exactOptional(z.number().check(z.minimum(0))),
    }),
  ),
  memory: z.exactOptional(z.object({ workingSetBytes: z.number().check(z.minimum(0)) })),
});

export const statsSchema = z.object({
  workloads: z.array(z.object({ workloadId: id, podUid: z.string(), startedAt: time, containers: z.array(figures) })),
});

/** Reads an answer. @throws {PermanentError} that names the first place where it is not as documented, without its value. */
export const readAnswer = <T>(schema: z.ZodMiniType<T>, answer: unknown, call: string): T => {
  const parsed = schema.safeParse(answer);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const place = (issue?.path ?? []).map(String).join('.') || 'the whole of it';
  throw new PermanentError(`${call}: the answer is not as docs/web-provider.openapi.yaml says (at ${place})`);
};
