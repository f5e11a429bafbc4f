import { describe, expect, inject, it } from 'vitest';
import * as z from 'zod/mini';
import { readTemplate } from './support/serverless.ts';
import { resource, resourcesOf, statementsOf } from './support/template.ts';

const full = readTemplate(inject('fullPackageFolder'));
const plain = readTemplate(inject('packageFolder'));

describe('a stream gateway', () => {
  it('is not there unless it is asked for', () => {
    expect(resourcesOf(plain, 'AWS::ECS::Service')).toEqual({});
    expect(Object.keys(resourcesOf(plain, 'AWS::ECS::Cluster'))).toEqual(['Cluster']);
  });

  it('runs once, in a cluster of its own, as nobody, and cannot write to its disk', () => {
    expect(resource(full, 'GatewayService').Properties).toMatchObject({
      Cluster: { Ref: 'GatewayCluster' },
      DesiredCount: 1,
      DeploymentConfiguration: { MinimumHealthyPercent: 0, MaximumPercent: 100 },
      NetworkConfiguration: { AwsvpcConfiguration: { AssignPublicIp: 'ENABLED' } },
    });
    const { Cpu, Memory, TaskRoleArn, ContainerDefinitions } = resource(full, 'GatewayTask').Properties;
    expect([Cpu, Memory, TaskRoleArn]).toEqual(['256', '512', { 'Fn::GetAtt': ['GatewayRole', 'Arn'] }]);
    const [container] = z
      .array(z.looseObject({ Environment: z.array(z.looseObject({ Name: z.string() })) }))
      .parse(ContainerDefinitions);
    expect(container).toMatchObject({
      Image: '123456789012.dkr.ecr.eu-west-1.amazonaws.com/svk:1',
      Command: ['run', '--only=kubelet-api', '--provider=fargate', '--state=dynamodb', '--listen=:10250'],
      User: '65532',
      ReadonlyRootFilesystem: true,
    });
    expect(container?.Environment.map(({ Name }) => Name)).toEqual([
      'SVK_TABLE',
      'SVK_ECS_CLUSTER',
      'SVK_LOG_GROUP',
      'SVK_EXECUTION_ROLE_ARN',
      'SVK_CREDENTIALS_PARAMETER',
      'SVK_CERTIFICATE_SIGNER',
      'SVK_SETTINGS',
    ]);
  });

  it('has the settings that the functions have', () => {
    const environment = resource(full, 'KubeletDashapiLambdaFunction').Properties['Environment'] as {
      readonly Variables: Readonly<Record<string, unknown>>;
    };
    const [container] = resource(full, 'GatewayTask').Properties['ContainerDefinitions'] as readonly {
      readonly Environment: readonly { readonly Name: string; readonly Value: unknown }[];
    }[];
    const settings = container?.Environment.find(({ Name }) => Name === 'SVK_SETTINGS')?.Value;
    expect(settings).toEqual(environment.Variables['SVK_SETTINGS']);
  });

  it('is reached by the clients alone, at one port for each of the two nodes', () => {
    expect(resource(full, 'GatewaySecurityGroup').Properties['SecurityGroupIngress']).toEqual([
      {
        Description: 'The API server, to the kubelet API of each node',
        IpProtocol: 'tcp',
        FromPort: 10_250,
        ToPort: 10_251,
        SourceSecurityGroupId: 'sg-0123456789abcdef1',
      },
    ]);
  });

  it('may read rows, tasks and logs, open sessions, and change nothing but the sums of CPU times', () => {
    const document = resource(full, 'GatewayPolicy').Properties['PolicyDocument'] as {
      readonly Statement: readonly {
        readonly Action: readonly string[];
        readonly Resource: unknown;
        readonly Condition?: unknown;
      }[];
    };
    expect(document.Statement.flatMap(({ Action }) => Action)).toEqual([
      'dynamodb:GetItem',
      'dynamodb:Query',
      'ecs:DescribeTasks',
      'ecs:ListTasks',
      'ecs:ExecuteCommand',
      'ssmmessages:OpenDataChannel',
      'ssm:TerminateSession',
      'kms:GenerateDataKey',
      'logs:GetLogEvents',
      'logs:FilterLogEvents',
      'dynamodb:UpdateItem',
    ]);
    expect(document.Statement.at(-1)?.Condition).toEqual({
      'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['USAGE#*'] },
    });
    expect(statementsOf(resource(full, 'GatewayRole')).map(({ Action }) => Action)).toEqual([['ssm:GetParameter']]);
    const starting = statementsOf(resource(full, 'GatewayExecutionRole')).flatMap(({ Action }) => Action);
    expect(starting.filter((action) => !/^(logs|ecr):/.test(action))).toEqual([]);
  });

  it('in the cluster is told its variables by the stack', () => {
    const value = resource(plain, 'GatewayFacts').Properties['Value'] as { readonly 'Fn::Join': [string, unknown[]] };
    const text = value['Fn::Join'][1].map((part) => (typeof part === 'string' ? part : 'x')).join('');
    const facts = z.record(z.string(), z.string()).parse(JSON.parse(text));
    expect(Object.keys(facts)).toEqual([
      'AWS_REGION',
      'SVK_TABLE',
      'SVK_ECS_CLUSTER',
      'SVK_LOG_GROUP',
      'SVK_EXECUTION_ROLE_ARN',
      'SVK_SETTINGS',
    ]);
    expect(JSON.parse(facts['SVK_SETTINGS'] ?? '')).toMatchObject({ deployment: 'dev', provider: 'fargate' });
    expect(text.length).toBeLessThan(4_096);
  });
});
