import { describe, expect, inject, it } from 'vitest';
import { readTemplate } from './support/serverless.ts';
import { resource, resourcesOf } from './support/template.ts';

const template = readTemplate(inject('packageFolder'));

const FUNCTIONS = [
  ['svk-dev-admission', 'AdmissionRole', 10, 256],
  ['svk-dev-container-logs', 'ContainerLogsRole', 295, 256],
  ['svk-dev-kubelet-api', 'KubeletApiRole', 28, 256],
  ['svk-dev-node-heartbeat', 'NodeHeartbeatRole', 65, 192],
  ['svk-dev-pod-resync', 'PodResyncRole', 50, 256],
  ['svk-dev-pod-worker', 'PodWorkerRole', 50, 256],
  ['svk-dev-task-collector', 'TaskCollectorRole', 50, 256],
] as const;

describe('the functions', () => {
  it('are these seven, each with a role of its own; the worker ends before the 60 s of a claim', () => {
    const functions = Object.values(resourcesOf(template, 'AWS::Lambda::Function')).map(({ Properties }) => [
      Properties['FunctionName'],
      Properties['Role'],
      Properties['Timeout'],
      Properties['MemorySize'],
    ]);
    expect(functions).toHaveLength(7);
    expect(functions).toEqual(
      expect.arrayContaining(
        FUNCTIONS.map(([name, role, timeout, memory]) => [name, { 'Fn::GetAtt': [role, 'Arn'] }, timeout, memory]),
      ),
    );
  });

  it('run on arm64 and Node 24', () => {
    for (const { Properties } of Object.values(resourcesOf(template, 'AWS::Lambda::Function'))) {
      expect(Properties).toMatchObject({ Runtime: 'nodejs24.x', Architectures: ['arm64'] });
    }
  });

  it('know the deployment from their environment, within the 4 KB that Lambda allows', () => {
    const environment = resource(template, 'PodDashworkerLambdaFunction').Properties['Environment'] as {
      Variables: Readonly<Record<string, unknown>>;
    };
    expect(environment.Variables).toEqual({
      NODE_OPTIONS: '--enable-source-maps',
      SVK_SETTINGS:
        '{"deployment":"dev","provider":"fargate","nodes":[{"name":"fargate","capacity":{"cpu":"20","memory":"80Gi","pods":"50"},"architecture":"amd64","profile":"default"}],"profiles":{"default":{"subnets":["subnet-00000000000000000"],"securityGroups":["sg-00000000000000000"],"assignPublicIp":false}}}',
      SVK_TABLE: { Ref: 'Table' },
      SVK_POD_QUEUE_URL: { Ref: 'PodQueue' },
      SVK_BEATS_QUEUE_URL: { Ref: 'BeatsQueue' },
      SVK_ECS_CLUSTER: { 'Fn::GetAtt': ['Cluster', 'Arn'] },
      SVK_LOG_GROUP: { Ref: 'PodLogGroup' },
      SVK_EXECUTION_ROLE_ARN: { 'Fn::GetAtt': ['ExecutionRole', 'Arn'] },
      SVK_TASK_ROLE_ARN: { 'Fn::GetAtt': ['TaskRole', 'Arn'] },
      SVK_METRICS: 'none',
      SVK_CREDENTIALS_PARAMETER: '/svk-system/dev/kubernetes',
      SVK_ADMISSION_SECRET_PARAMETER: '/svk-system/dev/admission',
      SVK_KUBELET_ENDPOINTS: {
        'Fn::Join': [
          '',
          [
            '{"fargate":{"host":"',
            { Ref: 'KubeletApiFargate' },
            '.execute-api.',
            { Ref: 'AWS::Region' },
            '.',
            { Ref: 'AWS::URLSuffix' },
            '","port":443}',
            '}',
          ],
        ],
      },
    });
    expect(JSON.stringify(environment.Variables).length).toBeLessThan(3_000);
  });

  it('are woken by the schedules', () => {
    const schedules = Object.values(resourcesOf(template, 'AWS::Events::Rule')).flatMap(({ Properties }) =>
      Properties['ScheduleExpression'] === undefined
        ? []
        : [
            [
              Properties['ScheduleExpression'],
              (Properties['Targets'] as readonly { Arn: unknown }[]).map(({ Arn }) => Arn),
            ],
          ],
    );
    expect(schedules).toEqual([
      ['rate(1 minute)', [{ 'Fn::GetAtt': ['NodeDashheartbeatLambdaFunction', 'Arn'] }]],
      ['rate(1 minute)', [{ 'Fn::GetAtt': ['PodDashresyncLambdaFunction', 'Arn'] }]],
      ['rate(5 minutes)', [{ 'Fn::GetAtt': ['TaskDashcollectorLambdaFunction', 'Arn'] }]],
    ]);
  });

  it('are woken by the queues, message by message, at most four workers at once', () => {
    const mappings = Object.values(resourcesOf(template, 'AWS::Lambda::EventSourceMapping')).map(
      ({ Properties }) => Properties,
    );
    expect(mappings).toMatchObject([
      {
        FunctionName: { 'Fn::GetAtt': ['NodeDashheartbeatLambdaFunction', 'Arn'] },
        EventSourceArn: { 'Fn::GetAtt': ['BeatsQueue', 'Arn'] },
        FunctionResponseTypes: ['ReportBatchItemFailures'],
      },
      {
        FunctionName: { 'Fn::GetAtt': ['PodDashworkerLambdaFunction', 'Arn'] },
        EventSourceArn: { 'Fn::GetAtt': ['PodQueue', 'Arn'] },
        BatchSize: 10,
        FunctionResponseTypes: ['ReportBatchItemFailures'],
        ScalingConfig: { MaximumConcurrency: 4 },
      },
    ]);
  });
});
