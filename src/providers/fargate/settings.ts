import * as z from 'zod/mini';
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

export interface FargateSettings {
  readonly profiles: Readonly<Record<string, Profile>>;
  /** By node name. */
  readonly nodes: Readonly<Record<string, { readonly architecture: Architecture; readonly profile: string }>>;
}

export type ParsedFargateSettings =
  | { readonly ok: true; readonly settings: FargateSettings }
  | { readonly ok: false; readonly faults: readonly Problem[] };

const profileSchema = z.strictObject({
  subnets: z
    .array(z.string().check(z.regex(/^subnet-[0-9a-z]+$/, 'must be a subnet id: subnet-…')))
    .check(z.minLength(1, 'needs at least one subnet'), z.maxLength(16, 'at most 16 subnets')),
  securityGroups: z
    .array(z.string().check(z.regex(/^sg-[0-9a-z]+$/, 'must be a security group id: sg-…')))
    .check(z.minLength(1, 'needs at least one security group'), z.maxLength(5, 'at most 5 security groups')),
  assignPublicIp: z._default(z.boolean(), false),
  capacityProvider: z._default(z.enum(['FARGATE', 'FARGATE_SPOT']), 'FARGATE'),
  platformVersion: z.optional(z.string()),
  namespaces: z._default(z.array(z.string()), []),
});

const nodeSchema = z.looseObject({
  name: z.string(),
  architecture: z._default(z.enum(['amd64', 'arm64']), 'amd64'),
  profile: z.string(),
});

const settingsSchema = z.looseObject({
  profiles: z.record(z.string(), profileSchema),
  nodes: z.array(nodeSchema),
});

/**
 * Reads this provider's part of the deployment's settings: `profiles`, and of each of `nodes` its name, architecture and
 * profile. Keys beside these belong to others; unknown keys within a profile are faults. Reports every fault at once.
 */
export const parseFargateSettings = (input: unknown): ParsedFargateSettings => {
  const parsed = settingsSchema.safeParse(input);
  if (!parsed.success)
    return { ok: false, faults: parsed.error.issues.map(({ path, message }) => fault(path, message)) };

  const { profiles, nodes } = parsed.data;
  const strangers = nodes.flatMap(({ profile }, index) =>
    Object.hasOwn(profiles, profile)
      ? []
      : [
          fault(
            ['nodes', index, 'profile'],
            `"${profile}" is not one of profiles: ${Object.keys(profiles).join(', ')}`,
          ),
        ],
  );
  if (strangers.length > 0) return { ok: false, faults: strangers };
  return {
    ok: true,
    settings: {
      profiles: Object.fromEntries(
        Object.entries(profiles).map(([name, { platformVersion, ...profile }]) => [
          name,
          { ...profile, ...(platformVersion !== undefined && { platformVersion }) },
        ]),
      ),
      nodes: Object.fromEntries(nodes.map(({ name, architecture, profile }) => [name, { architecture, profile }])),
    },
  };
};

const fault = (path: readonly PropertyKey[], message: string): Problem => ({
  field: path.reduce<string>(
    (text, part) =>
      typeof part === 'number' ? `${text}[${part}]` : text === '' ? String(part) : `${text}.${String(part)}`,
    '',
  ),
  message,
});
