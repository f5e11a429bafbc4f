import type { Fault } from './parameters.ts';

/** EC2's ids: 17 hexadecimal digits, 8 where they are old. Nothing but zeros stands in serverless.yml until somebody names one. */
const FORMS = {
  subnets: { prefix: 'subnet', what: 'a subnet' },
  securityGroups: { prefix: 'sg', what: 'a security group' },
} as const;

interface Placement {
  readonly subnets: readonly string[];
  readonly securityGroups: readonly string[];
}

/**
 * What of the profiles cannot be in any account. Asked of a deployment only: the local cloud and a package take any id.
 * Whether they are in this account, and lead anywhere, `svk doctor` tells.
 */
export const placementFaults = (profiles: Readonly<Record<string, Placement>>): readonly Fault[] =>
  Object.entries(profiles).flatMap(([name, profile]) =>
    (['subnets', 'securityGroups'] as const).flatMap((field) =>
      profile[field].flatMap((id, index) => faultOf(`profiles.${name}.${field}[${index}]`, id, field)),
    ),
  );

const faultOf = (path: string, id: string, field: keyof typeof FORMS): readonly Fault[] => {
  const { prefix, what } = FORMS[field];
  const digits = id.slice(prefix.length + 1);
  const fix = `give the id of ${what} of yours, as by --param ${field}=${prefix}-0123456789abcdef0`;
  if (/^0+$/.test(digits)) return [{ field: path, message: `is nobody's ("${id}"): ${fix}` }];
  return /^([0-9a-f]{8}|[0-9a-f]{17})$/.test(digits)
    ? []
    : [{ field: path, message: `is "${id}", which is no id of EC2 (8 or 17 hexadecimal digits): ${fix}` }];
};
