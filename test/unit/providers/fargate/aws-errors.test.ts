import { describe, expect, it } from 'vitest';
import { translateAwsError } from '../../../../src/providers/fargate/aws/errors.ts';
import { awsError, noAnswer } from '../../../fakes/aws/aws-error.ts';

describe('translateAwsError', () => {
  it.each<[error: unknown, disposition: string]>([
    [awsError('ThrottlingException', 'Rate exceeded'), 'throttled'],
    [awsError('TooManyUpdates', 'x'), 'throttled'],
    [awsError('Whatever', 'x', { $metadata: { httpStatusCode: 429 } }), 'throttled'],
    [
      awsError('InvalidParameterException', 'Error retrieving security group information: Request limit exceeded'),
      'throttled',
    ],
    [
      awsError('ClientException', 'Too many concurrent attempts to create a new revision of the specified family.'),
      'throttled',
    ],
    [awsError('ServerException', 'x'), 'transient'],
    [awsError('InternalServerError', 'x', { $metadata: { httpStatusCode: 500 } }), 'transient'],
    [noAnswer(), 'transient'],
    [new SyntaxError('Unexpected token <'), 'transient'],
    ['a text', 'transient'],
    [awsError('ClusterNotFoundException', 'x'), 'not-found'],
    [awsError('ParameterNotFound', 'x'), 'not-found'],
    [awsError('AccessDeniedException', 'x'), 'permanent'],
    [awsError('Whatever', 'x', { $metadata: { httpStatusCode: 403 } }), 'permanent'],
    [Object.assign(new Error('x'), { name: 'CredentialsProviderError' }), 'permanent'],
    [awsError('ClientException', 'Role is not valid'), 'permanent'],
  ])('%s is %s', (error, disposition) => {
    expect(translateAwsError(error, 'ECS Call').disposition).toBe(disposition);
  });

  it('says which call failed and how, and keeps the cause', () => {
    const error = awsError('ClientException', 'Role is not valid');
    expect(translateAwsError(error, 'ECS RegisterTaskDefinition')).toMatchObject({
      message: 'ECS RegisterTaskDefinition: ClientException: Role is not valid',
      cause: error,
    });
  });

  it('keeps neither message nor cause where the request held a secret', () => {
    const error = awsError('ValidationException', "Value 'hunter2' is too long");
    const translated = translateAwsError(error, 'SSM PutParameter', { secret: true });
    expect([translated.message, translated.cause]).toEqual(['SSM PutParameter: ValidationException', undefined]);
  });
});
