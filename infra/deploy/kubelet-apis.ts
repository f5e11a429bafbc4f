import { logGroupFindings } from './accepted-findings.ts';
import {
  ACCESS_LOG_FORMAT,
  arnOf,
  idOf,
  lambdaId,
  type Resource,
  ref,
  type StackShape,
  sub,
  type TemplatePart,
} from './template.ts';

/**
 * One HTTP API for each node, on its `$default` stage: an API server puts no stage before the path, and endpoints such as
 * `/stats/summary` name no pod that would tell the node. The stage's variable tells it.
 */
export const kubeletApis = ({ deployment, nodes }: StackShape, logRetentionDays: number): TemplatePart => ({
  Resources: {
    KubeletApiAccessLogGroup: {
      Type: 'AWS::Logs::LogGroup',
      Metadata: logGroupFindings(),
      Properties: { LogGroupName: `/aws/http-api/svk-${deployment}-kubelet`, RetentionInDays: logRetentionDays },
    },
    ...Object.fromEntries(nodes.flatMap((node) => Object.entries(kubeletApi(deployment, node)))),
  },
});

/** Logical id of a node's HTTP API. */
export const kubeletApiId = (node: string): string => `KubeletApi${idOf(node)}`;

const kubeletApi = (deployment: string, node: string): Readonly<Record<string, Resource>> => {
  const id = kubeletApiId(node);
  return {
    [id]: {
      Type: 'AWS::ApiGatewayV2::Api',
      Properties: {
        Name: `svk-${deployment}-${node}`,
        Description: `Kubelet API of node ${node}`,
        ProtocolType: 'HTTP',
      },
    },
    [`${id}Integration`]: {
      Type: 'AWS::ApiGatewayV2::Integration',
      Properties: {
        ApiId: ref(id),
        IntegrationType: 'AWS_PROXY',
        IntegrationUri: arnOf(lambdaId('kubelet-api')),
        PayloadFormatVersion: '2.0',
        TimeoutInMillis: 30_000,
      },
    },
    [`${id}Route`]: {
      Type: 'AWS::ApiGatewayV2::Route',
      // The function itself lets nobody in who has not proved who it is: an authorizer would have to do the same twice.
      Properties: {
        ApiId: ref(id),
        RouteKey: '$default',
        AuthorizationType: 'NONE',
        Target: { 'Fn::Join': ['/', ['integrations', ref(`${id}Integration`)]] },
      },
    },
    [`${id}Stage`]: {
      Type: 'AWS::ApiGatewayV2::Stage',
      Properties: {
        ApiId: ref(id),
        StageName: '$default',
        AutoDeploy: true,
        StageVariables: { node },
        AccessLogSettings: { DestinationArn: arnOf('KubeletApiAccessLogGroup'), Format: ACCESS_LOG_FORMAT },
        // Far above what kubectl and a metrics-server ask for, far below what a new account's ten functions could take.
        DefaultRouteSettings: { ThrottlingBurstLimit: 100, ThrottlingRateLimit: 50 },
      },
    },
    [`${id}Permission`]: {
      Type: 'AWS::Lambda::Permission',
      Properties: {
        FunctionName: arnOf(lambdaId('kubelet-api')),
        Action: 'lambda:InvokeFunction',
        Principal: 'apigateway.amazonaws.com',
        SourceArn: sub(`arn:\${AWS::Partition}:execute-api:\${AWS::Region}:\${AWS::AccountId}:\${${id}}/*`),
      },
    },
  };
};
