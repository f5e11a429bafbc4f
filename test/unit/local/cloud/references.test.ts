import { describe, expect, it } from 'vitest';
import { type ReferenceContext, resolveReferences } from '../../../../infra/local/cloud/references.ts';

const context: ReferenceContext = {
  queueUrl: 'http://127.0.0.1:1',
  parameters: { SubnetIds: 'subnet-1' },
  service: {
    service: 'svk',
    provider: { stage: 'dev', region: 'eu-west-1' },
    functions: {},
    resources: {
      Resources: {
        Pods: { Type: 'AWS::SQS::Queue', Properties: { QueueName: { 'Fn::Sub': 'svk-${AWS::Region}-pods' } } },
        Table: { Type: 'AWS::DynamoDB::Table' },
        Cluster: { Type: 'AWS::ECS::Cluster', Properties: { ClusterName: 'svk-dev' } },
        Role: { Type: 'AWS::IAM::Role', Properties: { RoleName: 'exec', Path: '/svk/' } },
      },
    },
  },
};

describe('resolveReferences', () => {
  it.each([
    { what: 'the URL of a queue', value: { Ref: 'Pods' }, want: 'http://127.0.0.1:1/000000000000/svk-eu-west-1-pods' },
    { what: 'the name of a table without one', value: { Ref: 'Table' }, want: 'svk-dev-Table' },
    {
      what: 'an ARN',
      value: { 'Fn::GetAtt': ['Cluster', 'Arn'] },
      want: 'arn:aws:ecs:eu-west-1:000000000000:cluster/svk-dev',
    },
    {
      what: 'an ARN written with a dot',
      value: { 'Fn::GetAtt': 'Role.Arn' },
      want: 'arn:aws:iam::000000000000:role/svk/exec',
    },
    { what: 'a parameter', value: [{ Ref: 'SubnetIds' }], want: ['subnet-1'] },
    {
      what: 'a substitution',
      value: { 'Fn::Sub': '${Cluster.Arn}/x' },
      want: 'arn:aws:ecs:eu-west-1:000000000000:cluster/svk-dev/x',
    },
    { what: 'a substitution of its own', value: { 'Fn::Sub': ['${a}-${AWS::Partition}', { a: 1 }] }, want: '1-aws' },
    { what: 'a join', value: { a: { 'Fn::Join': [',', ['x', { Ref: 'Table' }]] } }, want: { a: 'x,svk-dev-Table' } },
    { what: 'a name nobody knows', value: { Ref: 'Nothing' }, want: 'Nothing' },
  ])('finds $what', ({ value, want }) => {
    expect(resolveReferences(value, context)).toEqual(want);
  });
});
