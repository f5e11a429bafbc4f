import { createHash } from 'node:crypto';
import { accepting } from './accepted-findings.ts';
import {
  arnOf,
  type FunctionName,
  idOf,
  lambdaId,
  type Resource,
  ref,
  type StackShape,
  sub,
  type TemplatePart,
} from './template.ts';

/** A domain whose names, one for each node, ask for client certificates. */
export interface MtlsDomain {
  /** `svk.example.com`: node `fargate` becomes `fargate.svk.example.com`. */
  readonly name: string;
  /** Of the region, in ACM, for all of these names. */
  readonly certificateArn: string;
  /** `s3://bucket/key` of a PEM file: who has signed the API server's kubelet client certificate. */
  readonly trustStore: string;
  /** The zone in Route 53 the names are written to; undefined: somebody else writes them. */
  readonly hostedZoneId: string | undefined;
}

/**
 * A REST API behind these names, which alone can stream (`kubectl logs -f`) and alone hands on the client certificate.
 * Its own address is off: there nobody would ask for a certificate.
 */
export const mtlsApi = ({ deployment, nodes }: StackShape, domain: MtlsDomain): TemplatePart => {
  const routes = { ...paths(), ...methods() };
  const deploymentId = `MtlsDeployment${hashOf(routes)}`;
  return {
    Resources: {
      MtlsApi: {
        Type: 'AWS::ApiGateway::RestApi',
        Metadata: accepting([['CKV_AWS_237', 'an API without state: it may be replaced after it was deleted']]),
        Properties: {
          Name: `svk-${deployment}-mtls`,
          Description: 'Kubelet API for API servers that present a client certificate',
          EndpointConfiguration: { Types: ['REGIONAL'] },
          DisableExecuteApiEndpoint: true,
          BinaryMediaTypes: ['*/*'],
        },
      },
      ...routes,
      // A deployment is a copy that never changes: other routes make another one.
      [deploymentId]: {
        Type: 'AWS::ApiGateway::Deployment',
        DependsOn: ['MtlsLogsMethod', 'MtlsProxyMethod'],
        Properties: { RestApiId: ref('MtlsApi') },
      },
      MtlsStage: {
        Type: 'AWS::ApiGateway::Stage',
        Metadata: accepting([
          ['CKV_AWS_76', 'access logs of REST APIs need a role of the whole account'],
          ['CKV_AWS_73', 'tracing costs per request and shows nothing that the logs do not'],
          ['CKV_AWS_120', 'no answer may be cached: each depends on who asks'],
        ]),
        Properties: {
          RestApiId: ref('MtlsApi'),
          DeploymentId: ref(deploymentId),
          StageName: deployment,
          MethodSettings: [{ ResourcePath: '/*', HttpMethod: '*', ThrottlingBurstLimit: 100, ThrottlingRateLimit: 50 }],
        },
      },
      MtlsLogsPermission: permission('container-logs'),
      MtlsProxyPermission: permission('kubelet-api'),
      ...Object.fromEntries(nodes.flatMap((node) => Object.entries(nameOf(node, domain)))),
    },
    Outputs: Object.fromEntries(
      nodes.map((node) => [
        `KubeletTarget${idOf(node)}`,
        {
          Value: { 'Fn::GetAtt': [`MtlsName${idOf(node)}`, 'RegionalDomainName'] },
          Description: `What ${node}.${domain.name} must point to (CNAME or alias)`,
        },
      ]),
    ),
  };
};

const paths = (): Readonly<Record<string, Resource>> => ({
  MtlsLogs: path({ 'Fn::GetAtt': ['MtlsApi', 'RootResourceId'] }, 'containerLogs'),
  MtlsLogsNamespace: path(ref('MtlsLogs'), '{namespace}'),
  MtlsLogsPod: path(ref('MtlsLogsNamespace'), '{pod}'),
  MtlsLogsContainer: path(ref('MtlsLogsPod'), '{container}'),
  MtlsProxy: path({ 'Fn::GetAtt': ['MtlsApi', 'RootResourceId'] }, '{proxy+}'),
});

const path = (parent: unknown, part: string): Resource => ({
  Type: 'AWS::ApiGateway::Resource',
  Properties: { RestApiId: ref('MtlsApi'), ParentId: parent, PathPart: part },
});

const methods = (): Readonly<Record<string, Resource>> => ({
  MtlsLogsMethod: method('GET', 'MtlsLogsContainer', {
    Uri: invocation('container-logs', '2021-11-15', 'response-streaming-invocations'),
    ResponseTransferMode: 'STREAM',
    TimeoutInMillis: 300_000,
  }),
  MtlsProxyMethod: method('ANY', 'MtlsProxy', {
    Uri: invocation('kubelet-api', '2015-03-31', 'invocations'),
    TimeoutInMillis: 29_000,
  }),
});

const method = (verb: string, resource: string, integration: Readonly<Record<string, unknown>>): Resource => ({
  Type: 'AWS::ApiGateway::Method',
  Metadata: accepting([['CKV_AWS_59', 'the domain asks for a client certificate, and the function asks who that is']]),
  Properties: {
    RestApiId: ref('MtlsApi'),
    ResourceId: ref(resource),
    HttpMethod: verb,
    AuthorizationType: 'NONE',
    ApiKeyRequired: false,
    Integration: { Type: 'AWS_PROXY', IntegrationHttpMethod: 'POST', ...integration },
  },
});

const invocation = (name: FunctionName, version: string, kind: string): unknown =>
  sub(
    `arn:\${AWS::Partition}:apigateway:\${AWS::Region}:lambda:path/${version}/functions/\${${lambdaId(name)}.Arn}/${kind}`,
  );

const permission = (name: FunctionName): Resource => ({
  Type: 'AWS::Lambda::Permission',
  Properties: {
    FunctionName: arnOf(lambdaId(name)),
    Action: 'lambda:InvokeFunction',
    Principal: 'apigateway.amazonaws.com',
    SourceArn: sub('arn:${AWS::Partition}:execute-api:${AWS::Region}:${AWS::AccountId}:${MtlsApi}/*'),
  },
});

const nameOf = (node: string, domain: MtlsDomain): Readonly<Record<string, Resource>> => {
  const id = `MtlsName${idOf(node)}`;
  return {
    [id]: {
      Type: 'AWS::ApiGateway::DomainName',
      Properties: {
        DomainName: `${node}.${domain.name}`,
        RegionalCertificateArn: domain.certificateArn,
        EndpointConfiguration: { Types: ['REGIONAL'] },
        SecurityPolicy: 'TLS_1_2',
        MutualTlsAuthentication: { TruststoreUri: domain.trustStore },
      },
    },
    [`${id}Mapping`]: {
      Type: 'AWS::ApiGateway::BasePathMapping',
      Properties: { DomainName: ref(id), RestApiId: ref('MtlsApi'), Stage: ref('MtlsStage') },
    },
    ...(domain.hostedZoneId !== undefined && {
      [`${id}Record`]: {
        Type: 'AWS::Route53::RecordSet',
        Properties: {
          HostedZoneId: domain.hostedZoneId,
          Name: `${node}.${domain.name}`,
          Type: 'A',
          AliasTarget: {
            DNSName: { 'Fn::GetAtt': [id, 'RegionalDomainName'] },
            HostedZoneId: { 'Fn::GetAtt': [id, 'RegionalHostedZoneId'] },
          },
        },
      },
    }),
  };
};

const hashOf = (value: unknown): string =>
  createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 12);
