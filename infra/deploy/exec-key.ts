import { ref, sub, type TemplatePart } from './template.ts';

/** Of sessions in this deployment's cluster alone: both ends name session and container when they ask KMS. */
const OF_OUR_SESSIONS = {
  StringLike: {
    'kms:EncryptionContext:aws:ssm:SessionId': 'ecs-execute-command-*',
    'kms:EncryptionContext:aws:ssm:TargetId': sub(`ecs:\${Cluster}_*`),
  },
};

/** What whoever opens exec sessions may do with the key. */
export const makesDataKeys = (keyArn: string): object => ({
  Effect: 'Allow',
  Action: ['kms:GenerateDataKey'],
  Resource: keyArn,
  Condition: OF_OUR_SESSIONS,
});

/**
 * Exec sessions encrypted with a key of the operator, from the client to the agent in the container, beyond TLS: about $1 a
 * month for the key, and two requests a session ($0.03 for 10,000).
 */
export const execKey = (keyArn: string): TemplatePart => ({
  Resources: {
    ExecKeyPolicy: policy(
      'The kubelet API makes the data keys of exec sessions',
      'KubeletApiRole',
      makesDataKeys(keyArn),
    ),
    TaskKeyPolicy: policy('The agent in a container reads the data key of its exec session', 'TaskRole', {
      Effect: 'Allow',
      Action: ['kms:Decrypt'],
      Resource: keyArn,
      Condition: OF_OUR_SESSIONS,
    }),
  },
  Outputs: {
    TaskKeyPolicyArn: {
      Value: ref('TaskKeyPolicy'),
      Description: 'For roles that pods name by svk.dev/task-role: exec needs it',
    },
  },
  extensions: { Cluster: { Properties: { Configuration: { ExecuteCommandConfiguration: { KmsKeyId: keyArn } } } } },
});

const policy = (description: string, role: string, statement: object) => ({
  Type: 'AWS::IAM::ManagedPolicy',
  Properties: {
    Description: description,
    Roles: [ref(role)],
    PolicyDocument: { Version: '2012-10-17', Statement: [statement] },
  },
});
