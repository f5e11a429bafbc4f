import { describe, expect, inject, it } from 'vitest';
import { tableDefinition } from '../../src/adapters/dynamodb/schema.ts';
import { packageService, readTemplate } from './support/serverless.ts';
import { type Resource, resource, resourcesOf } from './support/template.ts';

const template = readTemplate(inject('packageFolder'));

const seconds = (queue: Resource, property: string): number => Number(queue.Properties[property]);

describe('the stack', () => {
  it('stays below the 500 resources that CloudFormation allows, with 40 nodes and every option', () => {
    const full = Object.keys(readTemplate(inject('fullPackageFolder')).Resources).length;
    const parameters = ['--param', 'settings=test/deploy/support/two-nodes.yml'];
    const { folder, remove } = packageService(...parameters);
    const [one, two] = [template, readTemplate(folder)].map(({ Resources }) => Object.keys(Resources).length);
    remove();
    // An HTTP API a node; with a domain three more.
    expect((two ?? 0) - (one ?? 0)).toBe(5);
    expect(full + 38 * 8).toBeLessThan(500);
  });

  it('keeps the table, its keys and its indexes', () => {
    expect(resource(template, 'Table')).toMatchObject({
      Type: 'AWS::DynamoDB::Table',
      DeletionPolicy: 'Retain',
      UpdateReplacePolicy: 'Retain',
      Properties: {
        BillingMode: 'PAY_PER_REQUEST',
        KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
        AttributeDefinitions: [
          { AttributeName: 'pk', AttributeType: 'S' },
          { AttributeName: 'kpPk', AttributeType: 'S' },
          { AttributeName: 'timerPk', AttributeType: 'S' },
          { AttributeName: 'nextCheckAt', AttributeType: 'N' },
        ],
        GlobalSecondaryIndexes: [
          {
            IndexName: 'known-pods',
            KeySchema: [
              { AttributeName: 'kpPk', KeyType: 'HASH' },
              { AttributeName: 'pk', KeyType: 'RANGE' },
            ],
            Projection: { ProjectionType: 'INCLUDE', NonKeyAttributes: ['pod', 'node', 'resourceVersion'] },
          },
          {
            IndexName: 'timers',
            KeySchema: [
              { AttributeName: 'timerPk', KeyType: 'HASH' },
              { AttributeName: 'nextCheckAt', KeyType: 'RANGE' },
            ],
            Projection: { ProjectionType: 'INCLUDE', NonKeyAttributes: ['pod', 'node', 'resourceVersion'] },
          },
        ],
        TimeToLiveSpecification: { AttributeName: 'ttl', Enabled: true },
        SSESpecification: { SSEEnabled: false },
      },
    });
  });

  it('has the table that the code expects', () => {
    const { TableName: _, ...expected } = tableDefinition('any');
    expect(resource(template, 'Table').Properties).toMatchObject(expected);
  });

  it('deletes every log in time', () => {
    const groups = Object.values(resourcesOf(template, 'AWS::Logs::LogGroup'));
    expect(groups.map(({ Properties }) => String(Properties['LogGroupName'])).toSorted()).toEqual([
      '/aws/http-api/svk-dev',
      '/aws/http-api/svk-dev-kubelet',
      '/aws/lambda/svk-dev-admission',
      '/aws/lambda/svk-dev-container-logs',
      '/aws/lambda/svk-dev-kubelet-api',
      '/aws/lambda/svk-dev-node-heartbeat',
      '/aws/lambda/svk-dev-pod-resync',
      '/aws/lambda/svk-dev-pod-worker',
      '/aws/lambda/svk-dev-task-collector',
      '/svk/dev/pods',
    ]);
    for (const { Properties } of groups) expect(Properties['RetentionInDays']).toBe(14);
  });

  it('runs tasks on Fargate, on demand and spot', () => {
    expect(resource(template, 'Cluster').Properties).toEqual({
      ClusterName: 'svk-dev',
      CapacityProviders: ['FARGATE', 'FARGATE_SPOT'],
    });
  });
});

describe('the queues', () => {
  it.each([
    { queue: 'PodQueue', deadLetters: 'PodDeadLetterQueue', times: 5, functionSeconds: 50 },
    { queue: 'BeatsQueue', deadLetters: 'BeatsDeadLetterQueue', times: 3, functionSeconds: 65 },
  ])(
    '$queue hides a message longer than the $functionSeconds s of its function, and gives up after $times tries',
    (row) => {
      const queue = resource(template, row.queue);
      expect(seconds(queue, 'VisibilityTimeout')).toBeGreaterThan(row.functionSeconds);
      expect(queue.Properties['RedrivePolicy']).toEqual({
        deadLetterTargetArn: { 'Fn::GetAtt': [row.deadLetters, 'Arn'] },
        maxReceiveCount: row.times,
      });
      expect(seconds(resource(template, row.deadLetters), 'MessageRetentionPeriod')).toBe(1_209_600);
    },
  );

  it('take task events from our rules alone, and nothing over plain HTTP', () => {
    const policies = Object.values(resourcesOf(template, 'AWS::SQS::QueuePolicy'));
    expect(policies.map(({ Properties }) => Properties['Queues'])).toEqual([
      [{ Ref: 'PodQueue' }],
      [{ Ref: 'PodDeadLetterQueue' }],
      [{ Ref: 'BeatsQueue' }],
      [{ Ref: 'BeatsDeadLetterQueue' }],
    ]);
    const statements = policies.flatMap(
      ({ Properties }) => (Properties['PolicyDocument'] as { Statement: readonly { Effect: string }[] }).Statement,
    );
    const rules = ['TaskProgressRule', 'TaskEndRule'].map((rule) => ({ 'Fn::GetAtt': [rule, 'Arn'] }));
    for (const statement of statements.filter(({ Effect }) => Effect === 'Allow')) {
      expect(statement).toMatchObject({
        Principal: { Service: 'events.amazonaws.com' },
        Action: 'sqs:SendMessage',
        Condition: { ArnEquals: { 'aws:SourceArn': rules } },
      });
    }
    expect(statements.filter(({ Effect }) => Effect === 'Deny')).toHaveLength(4);
  });
});

describe('another stage', () => {
  it('shares no name with the first', () => {
    const parameters = ['--param', 'subnets=subnet-0a,subnet-0b', '--param', 'securityGroups=sg-0c'];
    const packaged = packageService('--stage', 'prod', ...parameters);
    const another = readTemplate(packaged.folder);
    packaged.remove();

    expect(JSON.stringify(another)).not.toMatch(/svk-dev|\/svk\/dev|svk-system\/dev/);
    const { Variables } = resource(another, 'AdmissionLambdaFunction').Properties['Environment'] as {
      Variables: { SVK_SETTINGS: string };
    };
    expect(JSON.parse(Variables.SVK_SETTINGS)).toMatchObject({
      deployment: 'prod',
      profiles: { default: { subnets: ['subnet-0a', 'subnet-0b'], securityGroups: ['sg-0c'] } },
    });
  });
});
