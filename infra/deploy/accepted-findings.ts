import { FUNCTION_IDS, type FunctionName, lambdaId, type Resource, type TemplatePart } from './template.ts';

/** A finding of checkov that is accepted, and why. */
export type Accepted = readonly (readonly [id: string, why: string])[];

/** As checkov reads it from a resource. */
export const accepting = (findings: Accepted): NonNullable<Resource['Metadata']> => ({
  checkov: { skip: findings.map(([id, comment]) => ({ id, comment })) },
});

const IN_FUNCTIONS: Accepted = [
  ['CKV_AWS_115', 'a new account has no execution to reserve: --param heartbeatConcurrency where it has'],
  ['CKV_AWS_116', 'queues have dead-letter queues, and what a schedule calls is called again a minute later'],
  ['CKV_AWS_117', 'the API server is reached over the internet: --param functionSubnets where it is not'],
  ['CKV_AWS_173', 'the environment holds no secret, and AWS encrypts it with a key of its own'],
];

const IN_LOG_GROUPS: Accepted = [['CKV_AWS_158', 'encrypted with a key of AWS: --param keyArn for one of your own']];

const IN_DEPLOYMENT_BUCKET: Accepted = [
  ['CKV_AWS_18', 'holds the code of the functions, which everybody may read'],
  ['CKV_AWS_21', 'each deployment has a folder of its own'],
];

/** Of the resources that the framework writes. */
export const acceptedFindings = (): TemplatePart => ({
  extensions: {
    ServerlessDeploymentBucket: { Metadata: accepting(IN_DEPLOYMENT_BUCKET) },
    HttpApiLogGroup: { Metadata: accepting(IN_LOG_GROUPS) },
    ...Object.fromEntries(
      (Object.keys(FUNCTION_IDS) as FunctionName[]).flatMap((name) => [
        [lambdaId(name), { Metadata: accepting(IN_FUNCTIONS) }],
        [`${FUNCTION_IDS[name]}LogGroup`, { Metadata: accepting(IN_LOG_GROUPS) }],
      ]),
    ),
  },
});

/** Of log groups that we write. */
export const logGroupFindings = (): NonNullable<Resource['Metadata']> => accepting(IN_LOG_GROUPS);
