import { describe, expect, inject, it } from 'vitest';
import { readTemplate } from './support/serverless.ts';
import { type Resource, resource, resourcesOf } from './support/template.ts';

const full = readTemplate(inject('fullPackageFolder'));
const plain = readTemplate(inject('packageFolder'));
const KEY = 'arn:aws:kms:eu-west-1:123456789012:key/0a1b-2c3d';
const FUNCTION_ROLES = [
  'NodeHeartbeatRole',
  'PodResyncRole',
  'PodWorkerRole',
  'KubeletApiRole',
  'ContainerLogsRole',
  'TaskCollectorRole',
  'AdmissionRole',
];

const functions = (template: typeof full): readonly Resource[] =>
  Object.values(resourcesOf(template, 'AWS::Lambda::Function'));

interface KeyStatement {
  readonly Resource: unknown;
  readonly Action: unknown;
  readonly Condition?: unknown;
}

/** Every statement of a policy, wherever in the resource it is. */
const statementsIn = (value: unknown): readonly KeyStatement[] => {
  if (typeof value !== 'object' || value === null) return [];
  if ('Effect' in value && 'Action' in value && 'Resource' in value) return [value];
  return Object.values(value).flatMap(statementsIn);
};

describe('without options', () => {
  it('nothing is in the stack that costs something while nothing happens', () => {
    const types = Object.values(plain.Resources).map(({ Type }) => Type);
    for (const type of ['AWS::CloudWatch::Alarm', 'AWS::CloudWatch::Dashboard', 'AWS::Logs::MetricFilter'])
      expect(types).not.toContain(type);
    expect(JSON.stringify(plain)).not.toMatch(/kms:|KmsMasterKeyId|VpcConfig|ReservedConcurrentExecutions/);
  });

  it('the stack has 66 resources with one node', () => {
    expect(Object.keys(plain.Resources)).toHaveLength(66);
  });
});

describe('functions in a VPC', () => {
  it('all of them, with the rights that Lambda demands', () => {
    for (const { Properties } of functions(full)) {
      expect(Properties['VpcConfig']).toEqual({
        SubnetIds: ['subnet-0123456789abcdef0', 'subnet-0123456789abcdef1'],
        SecurityGroupIds: ['sg-0123456789abcdef0'],
      });
    }
    const { Roles } = resource(full, 'FunctionNetworkPolicy').Properties as { Roles: readonly { Ref: string }[] };
    expect(Roles.map(({ Ref }) => Ref)).toEqual(FUNCTION_ROLES);
  });
});

describe('concurrency', () => {
  it('is reserved for the heartbeat alone', () => {
    const reserved = functions(full).filter(({ Properties }) => 'ReservedConcurrentExecutions' in Properties);
    expect(
      reserved.map(({ Properties }) => [Properties['FunctionName'], Properties['ReservedConcurrentExecutions']]),
    ).toEqual([['svk-dev-node-heartbeat', 10]]);
  });

  it('of the workers is a choice', () => {
    const mapping = resource(full, 'PodDashworkerEventSourceMappingSQSPodQueue').Properties;
    expect(mapping['ScalingConfig']).toEqual({ MaximumConcurrency: 8 });
  });
});

describe('an EKS cluster', () => {
  it('lets in the six functions that call it and the stream gateway, as one group', () => {
    const entries = Object.values(resourcesOf(full, 'AWS::EKS::AccessEntry')).map(({ Properties }) => Properties);
    expect(entries).toEqual(
      [...FUNCTION_ROLES.slice(0, 6), 'GatewayRole'].map((role) => ({
        ClusterName: 'prod',
        PrincipalArn: { 'Fn::GetAtt': [role, 'Arn'] },
        KubernetesGroups: ['svk-dev'],
        Type: 'STANDARD',
      })),
    );
  });
});

describe('a key of the operator', () => {
  it('encrypts table, queues, logs and bucket, and the functions may use it', () => {
    expect(resource(full, 'Table').Properties['SSESpecification']).toEqual({
      SSEEnabled: true,
      SSEType: 'KMS',
      KMSMasterKeyId: KEY,
    });
    for (const { Properties } of Object.values(resourcesOf(full, 'AWS::SQS::Queue')))
      expect(Properties).toMatchObject({ SqsManagedSseEnabled: false, KmsMasterKeyId: KEY });
    for (const { Properties } of Object.values(resourcesOf(full, 'AWS::Logs::LogGroup')))
      expect(Properties).toMatchObject({ KmsKeyId: KEY });
    expect(JSON.stringify(resource(full, 'FilesBucket').Properties['BucketEncryption'])).toContain(KEY);
    expect(resource(full, 'CustomerKeyPolicy').Properties).toMatchObject({
      Roles: [...FUNCTION_ROLES, 'GatewayRole'].map((Ref) => ({ Ref })),
      PolicyDocument: { Statement: [{ Resource: KEY }] },
    });
  });

  it('changes no key of the table', () => {
    const { SSESpecification: _plain, ...keys } = resource(plain, 'Table').Properties;
    expect(resource(full, 'Table').Properties).toMatchObject(keys);
  });
});

describe('a key for exec sessions', () => {
  const EXEC_KEY = 'arn:aws:kms:eu-west-1:123456789012:key/4e5f-6a7b';
  const OF_OUR_SESSIONS = {
    StringLike: {
      'kms:EncryptionContext:aws:ssm:SessionId': 'ecs-execute-command-*',
      'kms:EncryptionContext:aws:ssm:TargetId': { 'Fn::Sub': `ecs:\${Cluster}_*` },
    },
  };

  it('is what the cluster encrypts them with', () => {
    expect(resource(full, 'Cluster').Properties['Configuration']).toEqual({
      ExecuteCommandConfiguration: { KmsKeyId: EXEC_KEY },
    });
    expect(resource(plain, 'Cluster').Properties).not.toHaveProperty('Configuration');
  });

  it('lets who opens sessions make data keys, tasks decrypt them, and nobody do anything else with it', () => {
    const allowed = Object.entries(full.Resources).flatMap(([id, { Properties }]) =>
      statementsIn(Properties)
        .filter(({ Resource }) => JSON.stringify(Resource).includes(EXEC_KEY))
        .map(({ Action, Condition }) => [id, Properties['Roles'], Action, Condition]),
    );
    expect(allowed).toEqual([
      ['GatewayPolicy', undefined, ['kms:GenerateDataKey'], OF_OUR_SESSIONS],
      ['ExecKeyPolicy', [{ Ref: 'KubeletApiRole' }], ['kms:GenerateDataKey'], OF_OUR_SESSIONS],
      ['TaskKeyPolicy', [{ Ref: 'TaskRole' }], ['kms:Decrypt'], OF_OUR_SESSIONS],
    ]);
  });
});

describe('alarms', () => {
  it('N-03 say when the last renewal is older than 25 s, and nine other things', () => {
    const alarms = resourcesOf(full, 'AWS::CloudWatch::Alarm');
    expect(Object.keys(alarms)).toHaveLength(10);
    for (const { Properties } of Object.values(alarms))
      expect(Properties['AlarmActions']).toEqual(['arn:aws:sns:eu-west-1:123456789012:operators']);
    expect(resource(full, 'BeatsMissingFilter').Properties).toMatchObject({
      LogGroupName: { Ref: 'NodeDashheartbeatLogGroup' },
      FilterPattern: '{ $.message = "beats do not arrive" }',
    });
    expect(alarms['BeatsMissingAlarm']?.Properties).toMatchObject({ MetricName: 'BeatsMissing', Threshold: 0 });
    expect(alarms['HeartbeatSilentAlarm']?.Properties).toMatchObject({ TreatMissingData: 'breaching' });
  });

  it('watch functions and queues that are there', () => {
    const named = JSON.stringify(Object.values(resourcesOf(full, 'AWS::CloudWatch::Alarm')));
    for (const [, id = ''] of named.matchAll(/"(?:Ref":"|Fn::GetAtt":\[")(\w+)"/g))
      if (!id.startsWith('AWS')) expect(full.Resources).toHaveProperty(id);
  });
});

describe('the dashboard', () => {
  it('shows resources that are there', () => {
    const { DashboardBody } = resource(full, 'Dashboard').Properties as { DashboardBody: { 'Fn::Sub': string } };
    const text = DashboardBody['Fn::Sub'];
    expect(JSON.parse(text)).toHaveProperty('widgets.5');
    for (const [, id = ''] of text.matchAll(/\$\{(\w+)[.}]/g)) expect(full.Resources).toHaveProperty(id);
  });
});

describe('figures of the functions', () => {
  const variables = (template: typeof full): readonly unknown[] =>
    functions(template).map(
      ({ Properties }) =>
        (Properties['Environment'] as { Variables: Record<string, unknown> }).Variables['SVK_METRICS'],
    );

  it('are off, unless they are asked for', () => {
    expect(new Set(variables(plain))).toEqual(new Set(['none']));
    expect(new Set(variables(full))).toEqual(new Set(['emf']));
  });

  it('are on the dashboard where there is one', () => {
    const { DashboardBody } = resource(full, 'Dashboard').Properties as { DashboardBody: { 'Fn::Sub': string } };
    const { widgets } = JSON.parse(DashboardBody['Fn::Sub']) as {
      readonly widgets: readonly { readonly properties: { readonly metrics: readonly (readonly string[])[] } }[];
    };
    expect(widgets).toHaveLength(8);
    const own = widgets.flatMap(({ properties }) => properties.metrics).filter(([namespace]) => namespace === 'svk');
    expect(own).toEqual([
      ['svk', 'svk_node_lease_age_seconds', 'deployment', 'dev', 'node', 'on-demand'],
      ['svk', 'svk_node_lease_age_seconds', 'deployment', 'dev', 'node', 'spot'],
      ['svk', 'svk_pod_syncs_total', 'deployment', 'dev', 'result', 'success'],
      ['svk', 'svk_pod_syncs_total', 'deployment', 'dev', 'result', 'error'],
      ['svk', 'svk_launches_total', 'deployment', 'dev', 'result', 'started'],
      ['svk', 'svk_launches_total', 'deployment', 'dev', 'result', 'refused'],
      ['svk', 'svk_launches_total', 'deployment', 'dev', 'result', 'unknown'],
    ]);
  });
});

describe('figures of the pods', () => {
  it('are off, unless they are asked for', () => {
    expect(resource(plain, 'Cluster').Properties).not.toHaveProperty('ClusterSettings');
    expect(resource(full, 'Cluster').Properties['ClusterSettings']).toEqual([
      { Name: 'containerInsights', Value: 'enabled' },
    ]);
  });
});

describe('the bucket', () => {
  it('is closed to the public and to plain HTTP, forgets within a day, and is kept', () => {
    const bucket = resource(plain, 'FilesBucket');
    expect([bucket.DeletionPolicy, bucket.UpdateReplacePolicy]).toEqual(['Retain', 'Retain']);
    expect(bucket.Properties).toMatchObject({
      PublicAccessBlockConfiguration: {
        BlockPublicAcls: true,
        BlockPublicPolicy: true,
        IgnorePublicAcls: true,
        RestrictPublicBuckets: true,
      },
      LifecycleConfiguration: { Rules: [{ Status: 'Enabled', ExpirationInDays: 1 }] },
    });
    expect(resource(plain, 'FilesBucketPolicy').Properties).toMatchObject({
      PolicyDocument: {
        Statement: [
          { Effect: 'Deny', Principal: '*', Action: 's3:*', Condition: { Bool: { 'aws:SecureTransport': 'false' } } },
        ],
      },
    });
  });
});

describe('what the stack tells `svk manifests`', () => {
  it('are its nodes and where the webhook listens, without the secret', () => {
    const { Name, Type, Value } = resource(full, 'DeploymentFacts').Properties as {
      Name: string;
      Type: string;
      Value: { 'Fn::Join': [string, readonly unknown[]] };
    };
    expect([Name, Type]).toEqual(['/svk-system/dev/deployment', 'String']);
    const text = Value['Fn::Join'][1].map((part) => (typeof part === 'string' ? part : 'x')).join('');
    expect(JSON.parse(text)).toEqual({
      nodes: ['on-demand', 'spot'],
      admissionUrl: 'https://x.execute-api.x.x/admission/',
    });
  });
});
