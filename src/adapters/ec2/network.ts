import {
  DescribeRouteTablesCommand,
  DescribeSecurityGroupsCommand,
  DescribeSubnetsCommand,
  DescribeVpcEndpointsCommand,
  EC2Client,
  type Route,
  type RouteTable,
} from '@aws-sdk/client-ec2';
import { awsError } from '../aws/errors.ts';
import type { EndpointFacts, NetworkFacts, SecurityGroupFacts, SubnetFacts } from './network-facts.ts';

/** Subnets, routes and security groups of one region, read only. */
export class Network {
  readonly #client: Pick<EC2Client, 'send'>;

  /** `endpoint`: another address than AWS's. */
  static at(options: { readonly region: string; readonly endpoint?: string }): Network {
    return new Network(new EC2Client({ ...options, maxAttempts: 3 }));
  }

  constructor(client: Pick<EC2Client, 'send'>) {
    this.#client = client;
  }

  /** What is there of these; ids that EC2 does not know are left out. */
  async facts(
    ids: { readonly subnets: readonly string[]; readonly securityGroups: readonly string[] },
    signal: AbortSignal,
  ): Promise<NetworkFacts> {
    try {
      // By filter: an id that is not there would make the whole question fail.
      const subnets = await this.#subnets(ids.subnets, signal);
      return {
        subnets,
        securityGroups: await this.#securityGroups(ids.securityGroups, signal),
        endpoints: await this.#endpoints([...new Set(subnets.map(({ vpc }) => vpc))], signal),
      };
    } catch (error) {
      throw awsError(error, { doing: 'look at the subnets of the profiles' });
    }
  }

  async #subnets(ids: readonly string[], signal: AbortSignal): Promise<readonly SubnetFacts[]> {
    const command = new DescribeSubnetsCommand({ Filters: [{ Name: 'subnet-id', Values: [...ids] }] });
    const { Subnets = [] } = await this.#client.send(command, { abortSignal: signal });
    if (Subnets.length === 0) return [];
    const tables = await this.#routeTables([...new Set(Subnets.map(({ VpcId = '' }) => VpcId))], signal);
    return Subnets.map(({ SubnetId = '', VpcId = '', AvailableIpAddressCount = 0 }) => {
      const table = tableOf(tables, SubnetId, VpcId);
      const route = table?.Routes?.find(({ DestinationCidrBlock }) => DestinationCidrBlock === '0.0.0.0/0');
      return {
        id: SubnetId,
        vpc: VpcId,
        freeAddresses: AvailableIpAddressCount,
        routeTable: table?.RouteTableId ?? '',
        wayOut: route && targetOf(route),
        isBlackhole: route?.State === 'blackhole',
      };
    });
  }

  async #routeTables(vpcs: readonly string[], signal: AbortSignal): Promise<readonly RouteTable[]> {
    const command = new DescribeRouteTablesCommand({ Filters: [{ Name: 'vpc-id', Values: [...vpcs] }] });
    return (await this.#client.send(command, { abortSignal: signal })).RouteTables ?? [];
  }

  async #securityGroups(ids: readonly string[], signal: AbortSignal): Promise<readonly SecurityGroupFacts[]> {
    const command = new DescribeSecurityGroupsCommand({ Filters: [{ Name: 'group-id', Values: [...ids] }] });
    const { SecurityGroups = [] } = await this.#client.send(command, { abortSignal: signal });
    return SecurityGroups.map(({ GroupId = '', VpcId = '', IpPermissionsEgress = [] }) => ({
      id: GroupId,
      vpc: VpcId,
      letsOut: IpPermissionsEgress.length > 0,
    }));
  }

  async #endpoints(vpcs: readonly string[], signal: AbortSignal): Promise<readonly EndpointFacts[]> {
    if (vpcs.length === 0) return [];
    const command = new DescribeVpcEndpointsCommand({ Filters: [{ Name: 'vpc-id', Values: [...vpcs] }] });
    const { VpcEndpoints = [] } = await this.#client.send(command, { abortSignal: signal });
    return VpcEndpoints.filter(({ State }) => State?.toLowerCase() === 'available').map(
      ({ VpcId = '', ServiceName = '', VpcEndpointType, RouteTableIds = [] }) => ({
        vpc: VpcId,
        // com.amazonaws.eu-west-1.ecr.api
        service: ServiceName.split('.').slice(3).join('.'),
        routeTables: VpcEndpointType === 'Gateway' ? RouteTableIds : [],
      }),
    );
  }
}

/** The table a subnet names, else the main one of its VPC. */
const tableOf = (tables: readonly RouteTable[], subnet: string, vpc: string): RouteTable | undefined =>
  tables.find(({ Associations = [] }) => Associations.some(({ SubnetId }) => SubnetId === subnet)) ??
  tables.find(({ VpcId, Associations = [] }) => VpcId === vpc && Associations.some(({ Main }) => Main));

const targetOf = (route: Route): string | undefined =>
  route.NatGatewayId ??
  route.GatewayId ??
  route.TransitGatewayId ??
  route.VpcPeeringConnectionId ??
  route.NetworkInterfaceId ??
  route.CoreNetworkArn ??
  route.InstanceId;
