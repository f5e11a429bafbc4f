import { accepting } from './accepted-findings.ts';
import { FUNCTION_IDS, FUNCTION_ROLES, type FunctionName, lambdaId, ref, type TemplatePart } from './template.ts';

/**
 * Functions inside a VPC, for an API server that has no public address. They then need a way to AWS's own services: a NAT
 * gateway (about $33 a month and zone, and $0.045 for each GB) or interface endpoints for SQS, SSM, ECS, Logs and, for
 * EKS, none more (about $7.30 a month each and zone); DynamoDB's gateway endpoint is free.
 */
export const functionsInVpc = (vpc: {
  readonly subnets: readonly string[];
  readonly securityGroups: readonly string[];
}): TemplatePart => ({
  Resources: {
    FunctionNetworkPolicy: {
      Type: 'AWS::IAM::ManagedPolicy',
      Metadata: accepting([['CKV_AWS_111', 'what Lambda demands of functions in a VPC']]),
      Properties: {
        Description: 'Network interfaces of functions in a VPC',
        Roles: FUNCTION_ROLES.map(ref),
        PolicyDocument: {
          Version: '2012-10-17',
          Statement: [
            {
              Effect: 'Allow',
              // Lambda itself makes these calls with the function's role, and refuses a narrower policy.
              Action: [
                'ec2:CreateNetworkInterface',
                'ec2:DescribeNetworkInterfaces',
                'ec2:DescribeSubnets',
                'ec2:DeleteNetworkInterface',
                'ec2:AssignPrivateIpAddresses',
                'ec2:UnassignPrivateIpAddresses',
              ],
              Resource: '*',
            },
          ],
        },
      },
    },
  },
  extensions: Object.fromEntries(
    (Object.keys(FUNCTION_IDS) as FunctionName[]).map((name) => [
      lambdaId(name),
      { Properties: { VpcConfig: { SubnetIds: vpc.subnets, SecurityGroupIds: vpc.securityGroups } } },
    ]),
  ),
});
