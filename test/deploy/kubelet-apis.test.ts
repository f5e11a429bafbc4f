import { describe, expect, inject, it } from 'vitest';
import { readTemplate } from './support/serverless.ts';
import { resource, resourcesOf } from './support/template.ts';

const full = readTemplate(inject('fullPackageFolder'));
const plain = readTemplate(inject('packageFolder'));
const ref = (id: string): object => ({ Ref: id });

const functionTimeout = (id: string): number => Number(resource(full, id).Properties['Timeout']);

describe('the HTTP API of each node', () => {
  it.each([
    ['on-demand', 'KubeletApiOnDashDemand'],
    ['spot', 'KubeletApiSpot'],
  ])('of node %s takes every request to the kubelet function, and tells it the node', (node, id) => {
    expect(resource(full, id).Properties).toMatchObject({ Name: `svk-dev-${node}`, ProtocolType: 'HTTP' });
    expect(resource(full, `${id}Stage`).Properties).toMatchObject({
      ApiId: ref(id),
      StageName: '$default',
      AutoDeploy: true,
      StageVariables: { node },
    });
    expect(resource(full, `${id}Route`).Properties).toMatchObject({
      ApiId: ref(id),
      RouteKey: '$default',
      Target: { 'Fn::Join': ['/', ['integrations', ref(`${id}Integration`)]] },
    });
    expect(resource(full, `${id}Integration`).Properties).toMatchObject({
      ApiId: ref(id),
      IntegrationUri: { 'Fn::GetAtt': ['KubeletDashapiLambdaFunction', 'Arn'] },
      PayloadFormatVersion: '2.0',
    });
    expect(resource(full, `${id}Permission`).Properties).toMatchObject({
      FunctionName: { 'Fn::GetAtt': ['KubeletDashapiLambdaFunction', 'Arn'] },
      SourceArn: { 'Fn::Sub': expect.stringContaining(`:\${${id}}/*`) },
    });
  });

  it('is throttled and logs neither paths nor queries', () => {
    const stages = Object.values(resourcesOf(full, 'AWS::ApiGatewayV2::Stage'));
    expect(stages).toHaveLength(3);
    for (const { Properties } of stages) {
      expect(Properties).toMatchObject({
        DefaultRouteSettings: { ThrottlingBurstLimit: expect.any(Number), ThrottlingRateLimit: expect.any(Number) },
      });
      const { Format } = Properties['AccessLogSettings'] as { Format: string };
      expect(Format.match(/\$context\.[\w.]+/g)).toEqual([
        '$context.requestId',
        '$context.routeKey',
        '$context.status',
        '$context.responseLatency',
        '$context.error.message',
      ]);
    }
  });

  it('leaves the webhook an API of its own', () => {
    const routes = Object.values(resourcesOf(full, 'AWS::ApiGatewayV2::Route')).map(({ Properties }) => [
      Properties['RouteKey'],
      Properties['ApiId'],
    ]);
    expect(routes).toEqual([
      ['POST /admission/{secret}', ref('HttpApi')],
      ['$default', ref('KubeletApiOnDashDemand')],
      ['$default', ref('KubeletApiSpot')],
    ]);
  });
});

describe('the mTLS domain', () => {
  it('is an option', () => {
    expect(resourcesOf(plain, 'AWS::ApiGateway::RestApi')).toEqual({});
    expect(resourcesOf(plain, 'AWS::ApiGateway::DomainName')).toEqual({});
  });

  it('has a name for each node that asks for a client certificate, and no address besides', () => {
    const names = Object.values(resourcesOf(full, 'AWS::ApiGateway::DomainName')).map(({ Properties }) => Properties);
    expect(names).toEqual(
      ['on-demand.svk.example.com', 'spot.svk.example.com'].map((DomainName) => ({
        DomainName,
        RegionalCertificateArn: 'arn:aws:acm:eu-west-1:123456789012:certificate/0a1b2c3d',
        EndpointConfiguration: { Types: ['REGIONAL'] },
        SecurityPolicy: 'TLS_1_2',
        MutualTlsAuthentication: { TruststoreUri: 's3://my-trust/kubelet-clients.pem' },
      })),
    );
    expect(resource(full, 'MtlsApi').Properties).toMatchObject({ DisableExecuteApiEndpoint: true });
    expect(Object.keys(resourcesOf(full, 'AWS::ApiGateway::BasePathMapping'))).toHaveLength(2);
    expect(Object.values(resourcesOf(full, 'AWS::Route53::RecordSet')).map(({ Properties }) => Properties)).toEqual(
      ['on-demand', 'spot'].map((node): unknown =>
        expect.objectContaining({ HostedZoneId: 'Z0123456789ABC', Name: `${node}.svk.example.com`, Type: 'A' }),
      ),
    );
  });

  it('streams the log of a container, and takes everything else to the kubelet function', () => {
    expect(resource(full, 'MtlsLogsMethod').Properties).toMatchObject({
      HttpMethod: 'GET',
      Integration: {
        Type: 'AWS_PROXY',
        IntegrationHttpMethod: 'POST',
        ResponseTransferMode: 'STREAM',
        Uri: {
          'Fn::Sub':
            'arn:${AWS::Partition}:apigateway:${AWS::Region}:lambda:path/2021-11-15/functions/${ContainerDashlogsLambdaFunction.Arn}/response-streaming-invocations',
        },
      },
    });
    expect(resource(full, 'MtlsProxyMethod').Properties).toMatchObject({
      HttpMethod: 'ANY',
      Integration: {
        Uri: {
          'Fn::Sub':
            'arn:${AWS::Partition}:apigateway:${AWS::Region}:lambda:path/2015-03-31/functions/${KubeletDashapiLambdaFunction.Arn}/invocations',
        },
      },
    });
    const paths = Object.values(resourcesOf(full, 'AWS::ApiGateway::Resource')).map(({ Properties }) => [
      Properties['PathPart'],
    ]);
    expect(paths.flat()).toEqual(['containerLogs', '{namespace}', '{pod}', '{container}', '{proxy+}']);
  });

  it('is what the nodes name as their endpoint', () => {
    const { Variables } = resource(full, 'NodeDashheartbeatLambdaFunction').Properties['Environment'] as {
      Variables: Readonly<Record<string, unknown>>;
    };
    const { 'Fn::Join': join } = Variables['SVK_KUBELET_ENDPOINTS'] as { 'Fn::Join': [string, string[]] };
    expect(JSON.parse(join[1].join(join[0]))).toEqual({
      'on-demand': { host: 'on-demand.svk.example.com', port: 443 },
      spot: { host: 'spot.svk.example.com', port: 443 },
    });
  });
});

describe('D-07 no function outlives its integration', () => {
  it.each([
    ['KubeletApiSpotIntegration', 'KubeletDashapiLambdaFunction'],
    ['HttpApiIntegrationAdmission', 'AdmissionLambdaFunction'],
  ])('%s', (integration, lambda) => {
    expect(functionTimeout(lambda) * 1_000).toBeLessThan(
      Number(resource(full, integration).Properties['TimeoutInMillis']),
    );
  });

  it.each([
    ['MtlsLogsMethod', 'ContainerDashlogsLambdaFunction'],
    ['MtlsProxyMethod', 'KubeletDashapiLambdaFunction'],
  ])('%s', (method, lambda) => {
    const { TimeoutInMillis } = resource(full, method).Properties['Integration'] as { TimeoutInMillis: number };
    expect(functionTimeout(lambda) * 1_000).toBeLessThan(TimeoutInMillis);
    // 29 s for what is buffered, 15 minutes for what streams.
    expect(TimeoutInMillis).toBeLessThanOrEqual(method === 'MtlsLogsMethod' ? 900_000 : 29_000);
  });
});
