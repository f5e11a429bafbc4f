import { makesDataKeys } from './exec-key.ts';
import { arnOf, sub, type TemplatePart } from './template.ts';

const tasks = sub(`arn:\${AWS::Partition}:ecs:\${AWS::Region}:\${AWS::AccountId}:task/\${Cluster}/*`);

const sessions = sub(`arn:\${AWS::Partition}:ssm:*:\${AWS::AccountId}:session/ecs-execute-command-*`);

const insights = sub(
  `arn:\${AWS::Partition}:logs:\${AWS::Region}:\${AWS::AccountId}:log-group:/aws/ecs/containerinsights/\${Cluster}/performance:*`,
);

/**
 * What a stream gateway may do in the account, wherever it runs: as a service of the stack, or in the cluster by a role that
 * the operator gives this policy to. It reads rows, tasks and logs, and opens sessions in containers, for which it makes data
 * keys where they are encrypted.
 */
export const gatewayPolicy = (deployment: string, execKeyArn: string | undefined): TemplatePart => ({
  Resources: {
    GatewayPolicy: {
      Type: 'AWS::IAM::ManagedPolicy',
      Properties: {
        ManagedPolicyName: sub(`svk-${deployment}-gateway-\${AWS::Region}`),
        Description: `What a stream gateway of svk ${deployment} may do`,
        PolicyDocument: {
          Version: '2012-10-17',
          Statement: [
            { Effect: 'Allow', Action: ['dynamodb:GetItem'], Resource: arnOf('Table') },
            { Effect: 'Allow', Action: ['dynamodb:Query'], Resource: sub(`\${Table.Arn}/index/known-pods`) },
            { Effect: 'Allow', Action: ['ecs:DescribeTasks'], Resource: tasks },
            {
              Effect: 'Allow',
              Action: ['ecs:ListTasks'],
              // Knows no resource but container instances, which Fargate has not.
              Resource: '*',
              Condition: { ArnEquals: { 'ecs:cluster': arnOf('Cluster') } },
            },
            { Effect: 'Allow', Action: ['ecs:ExecuteCommand'], Resource: [arnOf('Cluster'), tasks] },
            { Effect: 'Allow', Action: ['ssmmessages:OpenDataChannel', 'ssm:TerminateSession'], Resource: sessions },
            ...(execKeyArn === undefined ? [] : [makesDataKeys(execKeyArn)]),
            { Effect: 'Allow', Action: ['logs:GetLogEvents'], Resource: arnOf('PodLogGroup') },
            // Figures for kubectl top, and the row that keeps their sums.
            { Effect: 'Allow', Action: ['logs:FilterLogEvents'], Resource: insights },
            {
              Effect: 'Allow',
              Action: ['dynamodb:UpdateItem'],
              Resource: arnOf('Table'),
              Condition: { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['USAGE#*'] } },
            },
          ],
        },
      },
    },
  },
  Outputs: {
    GatewayPolicyArn: {
      Value: { Ref: 'GatewayPolicy' },
      Description: 'For the role of a stream gateway that runs in the cluster',
    },
  },
});
