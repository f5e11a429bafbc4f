import { CloudWatchLogsClient, CreateLogGroupCommand } from '@aws-sdk/client-cloudwatch-logs';
import {
  AssociateRouteTableCommand,
  AttachInternetGatewayCommand,
  CreateInternetGatewayCommand,
  CreateNatGatewayCommand,
  CreateRouteCommand,
  CreateRouteTableCommand,
  CreateSubnetCommand,
  CreateVpcCommand,
  CreateVpcEndpointCommand,
  DescribeSecurityGroupsCommand,
  EC2Client,
} from '@aws-sdk/client-ec2';
import { CreateClusterCommand, ECSClient } from '@aws-sdk/client-ecs';
import { CreateRoleCommand, IAMClient } from '@aws-sdk/client-iam';
import { CreateFunctionCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { PutParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type DoctorOptions, examine } from '../../src/cli/doctor/doctor.ts';
import type { Reported } from '../../src/cli/doctor/finding.ts';
import { openAccount } from '../../src/cli/doctor/open-account.ts';
import { type Moto, startMoto } from './support/moto.ts';
import { requireDeployTools, withoutDeployTools } from './support/tools.ts';

const REGION = 'eu-west-1';
const { signal } = new AbortController();
const ASSUME = (Service: string) =>
  JSON.stringify({
    Version: '2012-10-17',
    Statement: [{ Effect: 'Allow', Principal: { Service }, Action: 'sts:AssumeRole' }],
  });

describe.skipIf(withoutDeployTools)('svk doctor and an AWS account', () => {
  let moto: Moto;
  let network: Awaited<ReturnType<typeof makeNetwork>>;
  let executionRole = '';

  beforeAll(async () => {
    moto = await startMoto(requireDeployTools().python);
    for (const [name, value] of Object.entries(moto.environment)) vi.stubEnv(name, value);
    const at = { endpoint: moto.endpoint, region: REGION };
    network = await makeNetwork(new EC2Client(at));
    await new ECSClient(at).send(new CreateClusterCommand({ clusterName: 'svk-dev' }));
    await new CloudWatchLogsClient(at).send(new CreateLogGroupCommand({ logGroupName: '/svk/dev/pods' }));
    const iam = new IAMClient(at);
    const role = async (RoleName: string, service: string): Promise<string> => {
      const input = { RoleName, AssumeRolePolicyDocument: ASSUME(service) };
      return (await iam.send(new CreateRoleCommand(input))).Role?.Arn ?? '';
    };
    executionRole = await role('svk-dev-execution', 'ecs-tasks.amazonaws.com');
    await makeFunction(new LambdaClient(at), await role('svk-dev-heartbeat', 'lambda.amazonaws.com'));
  });
  afterAll(async () => {
    vi.unstubAllEnvs();
    await moto.stop();
  });

  const makeFunction = async (lambda: LambdaClient, Role: string): Promise<void> => {
    const profile = { subnets: [network.behindNat], securityGroups: [network.securityGroup] };
    const Variables = {
      SVK_SETTINGS: JSON.stringify({
        deployment: 'dev',
        provider: 'fargate',
        nodes: [{ name: 'fargate', capacity: { cpu: '4', memory: '16Gi', pods: '10' }, profile: 'nat' }],
        profiles: {
          nat: profile,
          public: { ...profile, subnets: [network.open] },
          shut: { ...profile, subnets: [network.shut, 'subnet-00000000000000000'] },
        },
      }),
      SVK_TABLE: 'svk-dev',
      SVK_POD_QUEUE_URL: 'https://sqs.eu-west-1.amazonaws.com/123456789012/pods',
      SVK_BEATS_QUEUE_URL: 'https://sqs.eu-west-1.amazonaws.com/123456789012/beats',
      SVK_ECS_CLUSTER: 'arn:aws:ecs:eu-west-1:123456789012:cluster/svk-dev',
      SVK_LOG_GROUP: '/svk/dev/pods',
      SVK_EXECUTION_ROLE_ARN: executionRole,
      SVK_CREDENTIALS_PARAMETER: '/svk-system/dev/kubernetes',
      SVK_ADMISSION_SECRET_PARAMETER: '/svk-system/dev/admission',
    };
    await lambda.send(
      new CreateFunctionCommand({
        FunctionName: 'svk-dev-node-heartbeat',
        Role,
        Runtime: 'nodejs22.x',
        Handler: 'index.handler',
        Code: { ZipFile: EMPTY_ZIP },
        Environment: { Variables },
      }),
    );
  };

  const doctor = async (rest: Partial<DoctorOptions>): Promise<{ findings: readonly Reported[]; error: unknown }> => {
    let printed = '';
    const options = { deployment: 'dev', region: REGION, output: 'json', ...rest };
    const environment = { AWS_ENDPOINT_URL: moto.endpoint, AWS_ENDPOINT_URL_SSM: moto.endpoint };
    const error = await examine(options, { environment, print: (line) => void (printed += line) }).catch(
      (caught: unknown) => caught,
    );
    return { findings: (JSON.parse(printed) as { findings: readonly Reported[] }).findings, error };
  };

  it('D-01 tells a deployment that is not there', async () => {
    const { findings, error } = await doctor({ deployment: 'prod', only: 'deployment,subnets' });
    expect(findings).toEqual([
      {
        check: 'deployment',
        status: 'fail',
        message: 'there is no function svk-prod-node-heartbeat in eu-west-1',
        fix: 'npx serverless deploy --stage prod --region eu-west-1, or correct --deployment and --region',
      },
      { check: 'subnets', status: 'skip', message: 'needs what check deployment could not find' },
    ]);
    expect(error).toMatchObject({ name: 'PermanentError', message: '1 of 2 findings are failures' });
  });

  it('D-01 finds what tasks need, and credentials that nobody has stored', async () => {
    const { findings } = await doctor({ only: 'deployment,credentials,task-resources' });
    expect(findings.map(({ status, message }) => `${status} ${message}`)).toEqual([
      'pass svk-dev in eu-west-1 keeps fargate',
      'fail nothing is stored in SSM parameter /svk-system/dev/kubernetes',
      'pass ECS cluster svk-dev is ACTIVE',
      'pass log group /svk/dev/pods is there',
      'pass the execution role is there, for ECS tasks',
    ]);
  });

  it('tells credentials it cannot read', async () => {
    const ssm = new SSMClient({ endpoint: moto.endpoint, region: REGION });
    const Name = '/svk-system/dev/kubernetes';
    await ssm.send(new PutParameterCommand({ Name, Value: '{"token":"s3cret"}', Type: 'SecureString' }));
    const { findings } = await doctor({ only: 'credentials' });
    expect(findings).toMatchObject([{ status: 'fail', message: expect.stringContaining('server: must be a text') }]);
    expect(JSON.stringify(findings)).not.toContain('s3cret');
  });

  it('D-02 tells subnets without a way out, and ids that are not there', async () => {
    const { findings, error } = await doctor({ only: 'subnets' });
    expect(findings.map(({ status, message }) => `${status} ${message}`)).toEqual([
      `pass profile nat: ${network.behindNat} and their security groups let tasks start`,
      `fail profile public: ${network.open} is public and its tasks get no public address: no image can be pulled`,
      'fail profile shut: there is no subnet subnet-00000000000000000 in this region',
      expect.stringContaining(
        `fail profile shut: ${network.shut} has no way out, and its VPC no endpoint for ecr.api, ecr.dkr, logs`,
      ),
      expect.stringMatching(/^fail profile shut: sg-\w+ is of vpc-\w+, the subnets are of vpc-\w+$/),
    ]);
    expect(findings[3]?.message).not.toContain('s3');
    expect(error).toMatchObject({ message: '4 of 5 findings are failures' });
  });

  it('says what it could not ask as such', async () => {
    // moto knows no quotas of Fargate.
    const { findings, error } = await doctor({ only: 'vcpu' });
    expect(findings).toMatchObject([{ status: 'unknown', message: expect.stringContaining("Fargate's vCPU quotas") }]);
    expect(error).toMatchObject({ name: 'TransientError' });
  });

  it.each([
    ['arn:aws:iam::123456789012:role/gone', undefined],
    ['arn:aws:iam::123456789012:role/svk-dev-heartbeat', ['lambda.amazonaws.com']],
  ])('reads who may take role %s', async (arn, trust) => {
    const account = openAccount(
      REGION,
      { environment: { AWS_ENDPOINT_URL: moto.endpoint }, print: () => undefined },
      Date.now,
    );
    expect(await account.roleTrust(arn, signal)).toEqual(trust);
    expect(await account.hasLogGroup('/svk/dev', signal)).toBe(false);
    account.close();
  });
});

/** One subnet behind a NAT gateway, a public one, and one of another VPC with nothing but a gateway for S3. */
const makeNetwork = async (ec2: EC2Client) => {
  const vpc = async (block: string): Promise<string> =>
    (await ec2.send(new CreateVpcCommand({ CidrBlock: block }))).Vpc?.VpcId ?? '';
  const subnet = async (VpcId: string, CidrBlock: string): Promise<string> =>
    (await ec2.send(new CreateSubnetCommand({ VpcId, CidrBlock }))).Subnet?.SubnetId ?? '';
  const table = async (VpcId: string, SubnetId: string): Promise<string> => {
    const RouteTableId = (await ec2.send(new CreateRouteTableCommand({ VpcId }))).RouteTable?.RouteTableId ?? '';
    await ec2.send(new AssociateRouteTableCommand({ RouteTableId, SubnetId }));
    return RouteTableId;
  };
  const [main, other] = [await vpc('10.0.0.0/16'), await vpc('10.1.0.0/16')];
  const [open, behindNat, shut] = [
    await subnet(main, '10.0.0.0/24'),
    await subnet(main, '10.0.1.0/24'),
    await subnet(other, '10.1.0.0/24'),
  ];
  const { InternetGateway } = await ec2.send(new CreateInternetGatewayCommand({}));
  const GatewayId = InternetGateway?.InternetGatewayId ?? '';
  await ec2.send(new AttachInternetGatewayCommand({ InternetGatewayId: GatewayId, VpcId: main }));
  const everywhere = { DestinationCidrBlock: '0.0.0.0/0' };
  await ec2.send(new CreateRouteCommand({ RouteTableId: await table(main, open), GatewayId, ...everywhere }));
  const { NatGateway } = await ec2.send(new CreateNatGatewayCommand({ SubnetId: open }));
  const NatGatewayId = NatGateway?.NatGatewayId ?? '';
  await ec2.send(new CreateRouteCommand({ RouteTableId: await table(main, behindNat), NatGatewayId, ...everywhere }));
  const RouteTableIds = [await table(other, shut)];
  const ServiceName = `com.amazonaws.${REGION}.s3`;
  await ec2.send(
    new CreateVpcEndpointCommand({ VpcId: other, ServiceName, VpcEndpointType: 'Gateway', RouteTableIds }),
  );
  const Filters = [{ Name: 'vpc-id', Values: [main] }];
  const { SecurityGroups } = await ec2.send(new DescribeSecurityGroupsCommand({ Filters }));
  return { open, behindNat, shut, securityGroup: SecurityGroups?.[0]?.GroupId ?? '' };
};

/** An archive without files: its end record (PKWARE's APPNOTE 4.3.16). */
const EMPTY_ZIP = Buffer.concat([Buffer.from('PK\u0005\u0006'), Buffer.alloc(18)]);
