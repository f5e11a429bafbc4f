import { FUNCTION_IDS, FUNCTION_ROLES, ref, type TemplatePart } from './template.ts';

const QUEUES = ['PodQueue', 'PodDeadLetterQueue', 'BeatsQueue', 'BeatsDeadLetterQueue'];

/**
 * Everything that is stored, under a key of the operator's: about $1 a month for the key and $0.03 for each 10,000
 * requests, of which an idle deployment makes some 100,000 (queues, table, logs). Without it AWS's own keys encrypt the
 * same things free of charge. The key's policy must let logs.<region>.amazonaws.com and events.amazonaws.com use it.
 */
export const customerKey = (keyArn: string, { gateway }: { readonly gateway: boolean }): TemplatePart => ({
  Resources: {
    CustomerKeyPolicy: {
      Type: 'AWS::IAM::ManagedPolicy',
      Properties: {
        Description: 'What is stored is encrypted with a key of the operator',
        Roles: [...FUNCTION_ROLES, ...(gateway ? ['GatewayRole'] : [])].map(ref),
        PolicyDocument: {
          Version: '2012-10-17',
          Statement: [
            { Effect: 'Allow', Action: ['kms:Decrypt', 'kms:DescribeKey', 'kms:GenerateDataKey'], Resource: keyArn },
          ],
        },
      },
    },
  },
  extensions: {
    Table: { Properties: { SSESpecification: { SSEEnabled: true, SSEType: 'KMS', KMSMasterKeyId: keyArn } } },
    FilesBucket: {
      Properties: {
        BucketEncryption: {
          ServerSideEncryptionConfiguration: [
            {
              BucketKeyEnabled: true,
              ServerSideEncryptionByDefault: { SSEAlgorithm: 'aws:kms', KMSMasterKeyID: keyArn },
            },
          ],
        },
      },
    },
    ...Object.fromEntries(
      QUEUES.map((queue) => [
        queue,
        { Properties: { SqsManagedSseEnabled: false, KmsMasterKeyId: keyArn, KmsDataKeyReusePeriodSeconds: 3_600 } },
      ]),
    ),
    ...Object.fromEntries(logGroups(gateway).map((group) => [group, { Properties: { KmsKeyId: keyArn } }])),
  },
});

const logGroups = (gateway: boolean): readonly string[] => [
  ...(gateway ? ['GatewayLogGroup'] : []),
  'PodLogGroup',
  'HttpApiLogGroup',
  'KubeletApiAccessLogGroup',
  ...Object.values(FUNCTION_IDS).map((id) => `${id}LogGroup`),
];
