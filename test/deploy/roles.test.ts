import { describe, expect, inject, it } from 'vitest';
import { readTemplate } from './support/serverless.ts';
import { resource, resourcesOf, type Statement, statementsOf } from './support/template.ts';

const template = readTemplate(inject('packageFolder'));
const roles = Object.entries(resourcesOf(template, 'AWS::IAM::Role')).map(
  ([id, role]): readonly [string, readonly Statement[]] => [id, statementsOf(role)],
);

const statements = (): readonly (Statement & { readonly role: string })[] =>
  roles.flatMap(([role, list]) => list.map((statement) => ({ ...statement, role })));
const rolesThatMay = (action: string): readonly string[] => [
  ...new Set(statements().flatMap(({ role, Action }) => (Action.includes(action) ? [role] : []))),
];

describe('the roles', () => {
  it('are one for each function, one for tasks to start with, and one for them to be', () => {
    expect(roles.map(([id]) => id).toSorted()).toEqual([
      'AdmissionRole',
      'ContainerLogsRole',
      'ExecutionRole',
      'KubeletApiRole',
      'NodeHeartbeatRole',
      'PodResyncRole',
      'PodWorkerRole',
      'TaskCollectorRole',
      'TaskRole',
    ]);
  });

  it('name every action', () => {
    for (const { Action } of statements()) for (const action of Action) expect(action).toMatch(/^[a-z0-9]+:[A-Za-z]+$/);
  });

  it('name the resource wherever IAM knows one', () => {
    const anywhere = statements().filter(({ Resource }) => Resource.includes('*'));
    expect([...new Set(anywhere.flatMap(({ Action }) => Action))].toSorted()).toEqual([
      'ecr:GetAuthorizationToken',
      'ecs:DeregisterTaskDefinition',
      'ecs:ListTasks',
      'ssmmessages:CreateControlChannel',
      'ssmmessages:CreateDataChannel',
      'ssmmessages:OpenControlChannel',
      'ssmmessages:OpenDataChannel',
    ]);
    expect(anywhere.filter(({ Action }) => Action[0]?.startsWith('ssmmessages:')).map(({ role }) => role)).toEqual([
      'TaskRole',
    ]);
    const listing = anywhere.filter(({ Action }) => Action.includes('ecs:ListTasks'));
    for (const { Condition } of listing) {
      expect(Condition).toEqual({ ArnEquals: { 'ecs:cluster': { 'Fn::GetAtt': ['Cluster', 'Arn'] } } });
    }
  });

  it('let nobody but the worker start tasks, in our cluster and from our definitions', () => {
    expect(rolesThatMay('ecs:RunTask')).toEqual(['PodWorkerRole']);
    const run = statements().find(({ Action }) => Action.includes('ecs:RunTask'));
    expect(run?.Condition).toEqual({ ArnEquals: { 'ecs:cluster': { 'Fn::GetAtt': ['Cluster', 'Arn'] } } });
    expect(JSON.stringify(run?.Resource)).toContain(':task-definition/svk-dev-*');
  });

  it('let the worker hand on the roles of tasks alone, to ECS tasks alone', () => {
    expect(rolesThatMay('iam:PassRole')).toEqual(['PodWorkerRole']);
    const pass = statements().filter(({ Action }) => Action.includes('iam:PassRole'));
    expect(pass).toEqual([
      {
        role: 'PodWorkerRole',
        Effect: 'Allow',
        Action: ['iam:PassRole'],
        Resource: [
          { 'Fn::GetAtt': ['ExecutionRole', 'Arn'] },
          { 'Fn::GetAtt': ['TaskRole', 'Arn'] },
          { 'Fn::Sub': `arn:\${AWS::Partition}:iam::\${AWS::AccountId}:role/svk/dev/*` },
        ],
        Condition: { StringEquals: { 'iam:PassedToService': 'ecs-tasks.amazonaws.com' } },
      },
    ]);
  });

  it('give a pod that names no role what exec needs, and nothing else', () => {
    const granted = statements().filter(({ role }) => role === 'TaskRole');
    expect(granted.flatMap(({ Action }) => Action)).toEqual([
      'ssmmessages:CreateControlChannel',
      'ssmmessages:CreateDataChannel',
      'ssmmessages:OpenControlChannel',
      'ssmmessages:OpenDataChannel',
    ]);
  });

  it('let the kubelet API alone open and end sessions, those of exec in our cluster', () => {
    for (const action of ['ecs:ExecuteCommand', 'ssm:TerminateSession'])
      expect(rolesThatMay(action)).toEqual(['KubeletApiRole']);
    const execute = statements().find(({ Action }) => Action.includes('ecs:ExecuteCommand'));
    expect(execute?.Resource).toEqual([
      { 'Fn::GetAtt': ['Cluster', 'Arn'] },
      { 'Fn::Sub': `arn:\${AWS::Partition}:ecs:\${AWS::Region}:\${AWS::AccountId}:task/\${Cluster}/*` },
    ]);
    const session = statements().find(({ Action }) => Action.includes('ssm:TerminateSession'));
    expect(JSON.stringify(session?.Resource)).toContain(':session/ecs-execute-command-*');
  });

  it('let only the worker and the collector stop tasks and touch secrets', () => {
    expect(rolesThatMay('ecs:StopTask')).toEqual(['PodWorkerRole', 'TaskCollectorRole']);
    expect(rolesThatMay('ssm:PutParameter')).toEqual(['PodWorkerRole']);
    expect(rolesThatMay('ssm:DeleteParameter')).toEqual(['TaskCollectorRole']);
    expect(rolesThatMay('secretsmanager:CreateSecret')).toEqual(['PodWorkerRole']);
    expect(rolesThatMay('secretsmanager:DeleteSecret')).toEqual(['TaskCollectorRole']);
    expect(rolesThatMay('secretsmanager:GetSecretValue')).toEqual(['ExecutionRole']);
    const logins = statements().filter(({ Action }) => Action.some((action) => action.startsWith('secretsmanager:')));
    for (const { Resource } of logins) expect(JSON.stringify(Resource)).toMatch(/:secret:\/svk\/dev\/\*"/);
  });

  it('let the kubelet API write the row of CPU times alone, and read figures of our cluster alone', () => {
    const own = statements().filter(({ role }) => role === 'KubeletApiRole');
    expect(own.filter(({ Action }) => Action.includes('dynamodb:UpdateItem'))).toMatchObject([
      { Condition: { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['USAGE#*'] } } },
    ]);
    const figures = own.filter(({ Action }) => Action.includes('logs:FilterLogEvents'));
    expect(JSON.stringify(figures.map(({ Resource }) => Resource))).toContain(
      ':log-group:/aws/ecs/containerinsights/${Cluster}/performance:*',
    );
  });

  it('let admission read its secret and wake pods, no more', () => {
    const admission = statements().filter(({ role }) => role === 'AdmissionRole');
    expect(admission.flatMap(({ Action }) => Action)).toEqual([
      'logs:CreateLogStream',
      'logs:PutLogEvents',
      'ssm:GetParameter',
      'sqs:SendMessage',
    ]);
  });

  it("keep the cluster's credentials from admission and from the tasks", () => {
    const readers = statements().filter(({ Resource }) =>
      JSON.stringify(Resource).includes('/svk-system/dev/kubernetes'),
    );
    expect(readers.map(({ role }) => role).toSorted()).toEqual([
      'ContainerLogsRole',
      'KubeletApiRole',
      'NodeHeartbeatRole',
      'PodResyncRole',
      'PodWorkerRole',
      'TaskCollectorRole',
    ]);
    const execution = statements().filter(
      ({ role, Action }) => role === 'ExecutionRole' && Action.includes('ssm:GetParameters'),
    );
    expect(JSON.stringify(execution.map(({ Resource }) => Resource))).toContain(':parameter/svk/dev/*');
  });

  it('let the execution role be taken by tasks of this account alone', () => {
    expect(resource(template, 'ExecutionRole').Properties['AssumeRolePolicyDocument']).toMatchObject({
      Statement: [
        {
          Principal: { Service: 'ecs-tasks.amazonaws.com' },
          Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
        },
      ],
    });
  });
});
