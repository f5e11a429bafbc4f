import * as z from 'zod/mini';
import { faultsOf } from '../../config/faults.ts';
import type { Problem } from '../../model/problem.ts';

/** Where and how tasks run; operator-defined, chosen by node or, where `namespaces` lists the pod's, by annotation. */
export interface Profile {
  readonly subnets: readonly string[];
  readonly securityGroups: readonly string[];
  readonly assignPublicIp: boolean;
  readonly capacityProvider: 'FARGATE' | 'FARGATE_SPOT';
  /** Fargate platform version; undefined: the latest. */
  readonly platformVersion?: string;
  /** Namespaces whose pods may choose this profile by `svk.dev/profile`. */
  readonly namespaces: readonly string[];
}

export type Architecture = 'amd64' | 'arm64';

/** This provider's part of a deployment's settings. */
export interface FargateSettings {
  readonly profiles: Readonly<Record<string, Profile>>;
  /** Roles outside the IAM path of their namespace that its pods may name, by namespace. */
  readonly taskRoles?: Readonly<Record<string, readonly string[]>>;
  /** By node name. */
  readonly nodes: Readonly<Record<string, { readonly architecture: Architecture; readonly profile: string }>>;
}

export type ParsedFargateSettings =
  | { readonly ok: true; readonly settings: FargateSettings }
  | { readonly ok: false; readonly faults: readonly Problem[] };

const ids = (pattern: RegExp, what: string, most: number): z.ZodMiniType<string[]> =>
  z
    .array(z.string().check(z.regex(pattern, `must be a ${what} id`)))
    .check(z.minLength(1, `needs at least one ${what}`), z.maxLength(most, `at most ${most} are possible`));

const profileSchema = z.strictObject({
  subnets: ids(/^subnet-[0-9a-z]+$/, 'subnet', 16),
  securityGroups: ids(/^sg-[0-9a-z]+$/, 'security group', 5),
  assignPublicIp: z._default(z.boolean(), false),
  capacityProvider: z._default(z.enum(['FARGATE', 'FARGATE_SPOT']), 'FARGATE'),
  platformVersion: z.exactOptional(z.string()),
  namespaces: z._default(z.array(z.string()), []),
});

const roleArn = z.string().check(z.regex(/^arn:[\w-]+:iam::\d{12}:role\/.+$/, 'must be the ARN of a role'));

const schema = z.looseObject({
  profiles: z.record(z.string(), profileSchema),
  taskRoles: z.exactOptional(z.record(z.string(), z.array(roleArn))),
  nodes: z.array(
    z.looseObject({
      name: z.string(),
      architecture: z._default(z.enum(['amd64', 'arm64']), 'amd64'),
      profile: z.optional(z.string()),
    }),
  ),
});

/**
 * Reads this provider's part of the settings: `profiles`, `taskRoles`, and of each of `nodes` its name, architecture and profile. Other
 * keys belong to others; unknown keys within a profile are faults. Reports every fault with its path.
 */
export const parseFargateSettings = (input: unknown): ParsedFargateSettings => {
  const parsed = schema.safeParse(input);
  if (!parsed.success) return { ok: false, faults: faultsOf(parsed.error.issues) };

  const { profiles, taskRoles, nodes } = parsed.data;
  const names = Object.keys(profiles);
  const strangers = nodes.flatMap(({ profile }, index) =>
    profile !== undefined && names.includes(profile)
      ? []
      : [
          {
            field: `nodes[${index}].profile`,
            message: `must name one of profiles: ${names.join(', ') || 'there are none'}`,
          },
        ],
  );
  if (strangers.length > 0) return { ok: false, faults: strangers };
  return {
    ok: true,
    settings: {
      profiles,
      ...(taskRoles && { taskRoles }),
      nodes: Object.fromEntries(nodes.map(({ name, architecture, profile = '' }) => [name, { architecture, profile }])),
    },
  };
};

/** Which top-level keys of the settings are this provider's, and how it reads them. */
export const fargateSettings: {
  readonly keys: readonly string[];
  readonly parse: typeof parseFargateSettings;
} = { keys: ['profiles', 'taskRoles'], parse: parseFargateSettings };
