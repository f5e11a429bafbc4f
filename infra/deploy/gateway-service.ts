import { accepting, logGroupFindings } from './accepted-findings.ts';
import { arnOf, type Resource, ref, type StackShape, sub, type TemplatePart } from './template.ts';

/** A stream gateway that runs in the account. */
export interface GatewayService {
  readonly image: string;
  readonly vpc: string;
  readonly subnets: readonly string[];
  /** Who may connect: a block of addresses, or a security group such as that of an EKS control plane. */
  readonly clients: string;
  readonly assignPublicIp: boolean;
  readonly signer: string;
}

/** Of its first node; the others follow. */
const PORT = 10_250;

/**
 * The stream gateway as one task on Fargate (0.25 vCPU and 0.5 GB, arm64): about $7.20 a month, and $3.65 for a public
 * address, where its subnets have no NAT gateway. It has an ECS cluster of its own: in that of the pods everything is a pod.
 */
export const gatewayService = (
  shape: StackShape,
  service: GatewayService,
  { settings, logRetentionDays }: { readonly settings: string; readonly logRetentionDays: number },
): TemplatePart => ({
  Resources: {
    GatewayLogGroup: {
      Type: 'AWS::Logs::LogGroup',
      Metadata: logGroupFindings(),
      Properties: { LogGroupName: `/svk/${shape.deployment}/gateway`, RetentionInDays: logRetentionDays },
    },
    GatewayCluster: {
      Type: 'AWS::ECS::Cluster',
      Metadata: accepting([['CKV_AWS_65', 'Container Insights costs more than the gateway']]),
      Properties: { ClusterName: `svk-${shape.deployment}-gateway`, CapacityProviders: ['FARGATE'] },
    },
    ...gatewayRoles(shape),
    GatewaySecurityGroup: gatewaySecurityGroup(shape, service),
    GatewayTask: gatewayTask(shape, service, settings),
    GatewayService: {
      Type: 'AWS::ECS::Service',
      ...(service.assignPublicIp && {
        Metadata: accepting([
          ['CKV_AWS_333', 'its subnets have no NAT gateway; its security group lets in the clients alone'],
        ]),
      }),
      Properties: {
        Cluster: ref('GatewayCluster'),
        ServiceName: 'gateway',
        LaunchType: 'FARGATE',
        PlatformVersion: 'LATEST',
        TaskDefinition: ref('GatewayTask'),
        DesiredCount: 1,
        // Each node has one address: a second task would only wait for the first to go.
        DeploymentConfiguration: { MinimumHealthyPercent: 0, MaximumPercent: 100 },
        NetworkConfiguration: {
          AwsvpcConfiguration: {
            Subnets: service.subnets,
            SecurityGroups: [ref('GatewaySecurityGroup')],
            AssignPublicIp: service.assignPublicIp ? 'ENABLED' : 'DISABLED',
          },
        },
      },
    },
  },
});

const TASKS_TRUST = {
  Version: '2012-10-17',
  Statement: [
    {
      Effect: 'Allow',
      Principal: { Service: 'ecs-tasks.amazonaws.com' },
      Action: 'sts:AssumeRole',
      Condition: {
        StringEquals: { 'aws:SourceAccount': ref('AWS::AccountId') },
        ArnLike: { 'aws:SourceArn': sub(`arn:\${AWS::Partition}:ecs:\${AWS::Region}:\${AWS::AccountId}:*`) },
      },
    },
  ],
};

const gatewayRoles = ({ deployment }: StackShape): Readonly<Record<string, Resource>> => ({
  GatewayRole: {
    Type: 'AWS::IAM::Role',
    Properties: {
      AssumeRolePolicyDocument: TASKS_TRUST,
      ManagedPolicyArns: [ref('GatewayPolicy')],
      Policies: [
        {
          PolicyName: 'credentials',
          PolicyDocument: {
            Version: '2012-10-17',
            Statement: [
              {
                Effect: 'Allow',
                Action: ['ssm:GetParameter'],
                Resource: sub(
                  `arn:\${AWS::Partition}:ssm:\${AWS::Region}:\${AWS::AccountId}:parameter/svk-system/${deployment}/kubernetes`,
                ),
              },
            ],
          },
        },
      ],
    },
  },
  GatewayExecutionRole: {
    Type: 'AWS::IAM::Role',
    Properties: {
      AssumeRolePolicyDocument: TASKS_TRUST,
      Policies: [
        {
          PolicyName: 'start-gateway',
          PolicyDocument: {
            Version: '2012-10-17',
            Statement: [
              {
                Effect: 'Allow',
                Action: ['logs:CreateLogStream', 'logs:PutLogEvents'],
                Resource: arnOf('GatewayLogGroup'),
              },
              {
                Effect: 'Allow',
                Action: ['ecr:BatchCheckLayerAvailability', 'ecr:BatchGetImage', 'ecr:GetDownloadUrlForLayer'],
                Resource: sub(`arn:\${AWS::Partition}:ecr:*:\${AWS::AccountId}:repository/*`),
              },
              // Has no resource to name.
              { Effect: 'Allow', Action: ['ecr:GetAuthorizationToken'], Resource: '*' },
            ],
          },
        },
      ],
    },
  },
});

const gatewaySecurityGroup = ({ deployment, nodes }: StackShape, { vpc, clients }: GatewayService): Resource => ({
  Type: 'AWS::EC2::SecurityGroup',
  Metadata: accepting([['CKV_AWS_382', 'the API server, AWS and any port of a pod that is forwarded']]),
  Properties: {
    GroupDescription: `Stream gateway of svk ${deployment}`,
    VpcId: vpc,
    SecurityGroupIngress: [
      {
        Description: 'The API server, to the kubelet API of each node',
        IpProtocol: 'tcp',
        FromPort: PORT,
        ToPort: PORT + nodes.length - 1,
        ...(clients.startsWith('sg-') ? { SourceSecurityGroupId: clients } : { CidrIp: clients }),
      },
    ],
    SecurityGroupEgress: [
      {
        Description: 'The API server, AWS, and the ports of pods that are forwarded',
        IpProtocol: '-1',
        CidrIp: '0.0.0.0/0',
      },
    ],
  },
});

const gatewayTask = ({ deployment }: StackShape, { image, signer }: GatewayService, settings: string): Resource => {
  const variables: Readonly<Record<string, unknown>> = {
    SVK_TABLE: ref('Table'),
    SVK_ECS_CLUSTER: arnOf('Cluster'),
    SVK_LOG_GROUP: ref('PodLogGroup'),
    SVK_EXECUTION_ROLE_ARN: arnOf('ExecutionRole'),
    SVK_CREDENTIALS_PARAMETER: `/svk-system/${deployment}/kubernetes`,
    SVK_CERTIFICATE_SIGNER: signer,
    SVK_SETTINGS: settings,
  };
  return {
    Type: 'AWS::ECS::TaskDefinition',
    Properties: {
      Family: `svk-gateway-${deployment}`,
      RequiresCompatibilities: ['FARGATE'],
      NetworkMode: 'awsvpc',
      Cpu: '256',
      Memory: '512',
      RuntimePlatform: { CpuArchitecture: 'ARM64', OperatingSystemFamily: 'LINUX' },
      TaskRoleArn: arnOf('GatewayRole'),
      ExecutionRoleArn: arnOf('GatewayExecutionRole'),
      ContainerDefinitions: [
        {
          Name: 'gateway',
          Image: image,
          Command: ['run', '--only=kubelet-api', '--provider=fargate', '--state=dynamodb', `--listen=:${PORT}`],
          Environment: Object.entries(variables).map(([Name, Value]) => ({ Name, Value })),
          User: '65532',
          ReadonlyRootFilesystem: true,
          StopTimeout: 30,
          LogConfiguration: {
            LogDriver: 'awslogs',
            Options: {
              'awslogs-group': ref('GatewayLogGroup'),
              'awslogs-region': ref('AWS::Region'),
              'awslogs-stream-prefix': 'gateway',
            },
          },
        },
      ],
    },
  };
};
