import type { EndpointFacts, NetworkFacts, SubnetFacts } from '../../../adapters/ec2/network-facts.ts';
import type { Profile } from '../../../providers/fargate/settings.ts';
import type { Check } from '../check.ts';
import { type Finding, fail, pass, warn } from '../finding.ts';

/** What a task needs before its containers start, where its subnet has no way out (AWS: "Amazon ECR interface VPC endpoints"). */
const NEEDED = ['ecr.api', 'ecr.dkr', 'logs', 's3'];
/** Only for pods with env from Secrets. */
const FOR_SECRETS = 'ssm';

/** Whether tasks find their way to the registries: without it every pod ends with "unable to pull secrets or registry auth". */
export const subnetsCheck: Check = {
  name: 'subnets',
  run: async (world, signal) => {
    const { profiles } = (await world.stack()).settings.providerSettings;
    return examineProfiles(profiles, (ids) => world.account.network(ids, signal));
  },
};

/** What `read` tells of the subnets and security groups of all profiles, judged profile by profile. */
export const examineProfiles = async (
  profiles: Readonly<Record<string, Placement>>,
  read: (ids: Pick<Placement, 'subnets' | 'securityGroups'>) => Promise<NetworkFacts>,
): Promise<readonly Finding[]> => {
  const all = Object.values(profiles);
  const facts = await read({
    subnets: [...new Set(all.flatMap(({ subnets }) => subnets))],
    securityGroups: [...new Set(all.flatMap(({ securityGroups }) => securityGroups))],
  });
  return Object.entries(profiles).flatMap(([name, profile]) => judgeProfile(name, profile, facts));
};

type Placement = Pick<Profile, 'subnets' | 'securityGroups' | 'assignPublicIp'>;

/** Everything that is wrong with where a profile places tasks, or one finding that it is right. */
export const judgeProfile = (name: string, profile: Placement, facts: NetworkFacts): readonly Finding[] => {
  const found = profile.subnets.map((id) => facts.subnets.find((subnet) => subnet.id === id));
  const subnets = found.filter((subnet) => subnet !== undefined);
  const faults = [
    ...profile.subnets.filter((_, index) => found[index] === undefined).map((id) => notThere(name, 'subnet', id)),
    ...oneVpc(name, subnets),
    ...subnets.flatMap((subnet) => wayOut(name, subnet, profile.assignPublicIp, facts.endpoints)),
    ...profile.securityGroups.flatMap((id) => securityGroup(name, id, subnets[0]?.vpc, facts)),
    ...(subnets.length > 0 && subnets.every(({ freeAddresses }) => freeAddresses === 0)
      ? [fail(`profile ${name}: its subnets have no free address`, 'add a subnet to the profile')]
      : []),
  ];
  return faults.length > 0
    ? faults
    : [pass(`profile ${name}: ${profile.subnets.join(', ')} and their security groups let tasks start`)];
};

const notThere = (profile: string, what: string, id: string): Finding =>
  fail(`profile ${profile}: there is no ${what} ${id} in this region`, 'correct it in the settings, and deploy');

const oneVpc = (profile: string, subnets: readonly SubnetFacts[]): readonly Finding[] =>
  new Set(subnets.map(({ vpc }) => vpc)).size > 1
    ? [fail(`profile ${profile}: its subnets are of several VPCs`, 'make a profile for each VPC')]
    : [];

const wayOut = (
  profile: string,
  { id, vpc, routeTable, wayOut: target, isBlackhole }: SubnetFacts,
  isPublic: boolean,
  endpoints: readonly EndpointFacts[],
): readonly Finding[] => {
  if (target !== undefined && isBlackhole)
    return [
      fail(
        `profile ${profile}: the way out of ${id} leads to ${target}, which is gone`,
        `mend the default route of ${routeTable}`,
      ),
    ];
  if (target?.startsWith('igw-') && !isPublic)
    return [
      fail(
        `profile ${profile}: ${id} is public and its tasks get no public address: no image can be pulled`,
        'set assignPublicIp: true in the profile, or name subnets behind a NAT gateway',
      ),
    ];
  if (target !== undefined) return [];
  const there = endpoints
    .filter((endpoint) => endpoint.vpc === vpc)
    .filter(({ routeTables }) => routeTables.length === 0 || routeTables.includes(routeTable))
    .map(({ service }) => service);
  const missing = NEEDED.filter((service) => !there.includes(service));
  if (missing.length > 0)
    return [
      fail(
        `profile ${profile}: ${id} has no way out, and its VPC no endpoint for ${missing.join(', ')}: every pod fails with "unable to pull secrets or registry auth"`,
        `give ${routeTable} a default route to a NAT gateway, or make those endpoints (images then come from ECR only)`,
      ),
    ];
  return there.includes(FOR_SECRETS)
    ? []
    : [
        warn(
          `profile ${profile}: ${id} has no way out and its VPC no endpoint for ssm: pods with env from Secrets do not start`,
          'make an interface endpoint for ssm',
        ),
      ];
};

const securityGroup = (
  profile: string,
  id: string,
  vpc: string | undefined,
  { securityGroups }: NetworkFacts,
): readonly Finding[] => {
  const found = securityGroups.find((group) => group.id === id);
  if (found === undefined) return [notThere(profile, 'security group', id)];
  return [
    ...(vpc !== undefined && found.vpc !== vpc
      ? [fail(`profile ${profile}: ${id} is of ${found.vpc}, the subnets are of ${vpc}`, 'name one of their VPC')]
      : []),
    ...(found.letsOut
      ? []
      : [fail(`profile ${profile}: ${id} lets nothing out: no image can be pulled`, 'add a rule for TCP 443 out')]),
  ];
};
