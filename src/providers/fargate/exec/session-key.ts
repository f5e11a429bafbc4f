import { PermanentError, type SvkError, TransientError } from '../../../core/errors.ts';
import { DATA_KEY_BYTES, type DataKey, type DataKeyRequest } from '../../../streaming/ssm/data-key.ts';
import { awsFaultOf, translateAwsError } from '../aws/errors.ts';
import type { KeysApi } from '../aws/keys-api.ts';
import { taskIdOf } from '../deployment.ts';

/** An exec session, and the container it goes to. */
export interface KeyedSession {
  readonly sessionId: string;
  /** ARN of the task. */
  readonly workloadId: string;
  readonly runtimeId: string | undefined;
}

/**
 * Has KMS make the data key of an encrypted session. It is bound to the session, its container, and the challenge where
 * the agent has sent one: KMS decrypts it for nobody who does not name the same.
 * @throws errors of core/errors that name the key and what to allow.
 */
export const sessionDataKey = async (
  { keys, clusterArn }: { readonly keys: Pick<KeysApi, 'generateDataKey'>; readonly clusterArn: string },
  { sessionId, workloadId, runtimeId }: KeyedSession,
  { keyId, challenge }: DataKeyRequest,
  signal: AbortSignal,
): Promise<DataKey> => {
  if (runtimeId === undefined) throw new TransientError('ECS shows no runtime id of the container yet: try again');
  const input = {
    KeyId: keyId,
    NumberOfBytes: DATA_KEY_BYTES,
    EncryptionContext: {
      'aws:ssm:SessionId': sessionId,
      'aws:ssm:TargetId': `ecs:${nameOf(clusterArn)}_${taskIdOf(workloadId)}_${runtimeId}`,
      ...(challenge !== undefined && { 'aws:ssm:RandomChallenge': challenge }),
    },
  };
  let answer: Awaited<ReturnType<KeysApi['generateDataKey']>>;
  try {
    answer = await keys.generateDataKey(input, signal);
  } catch (error) {
    throw refusalOf(keyId, error);
  }
  const { Plaintext: plaintext, CiphertextBlob: ciphertext } = answer;
  if (plaintext === undefined || ciphertext === undefined)
    throw new TransientError(`KMS GenerateDataKey answered without a data key of the KMS key ${keyId}`);
  return { plaintext, ciphertext };
};

const nameOf = (clusterArn: string): string => clusterArn.slice(clusterArn.lastIndexOf('/') + 1);

const refusalOf = (keyId: string, error: unknown): SvkError => {
  const { kind, name, message } = awsFaultOf(error);
  const which = `the exec session is encrypted with the KMS key ${keyId}`;
  switch (kind) {
    case 'denied':
      return new PermanentError(
        `${which}, of which no data key may be made here: allow kms:GenerateDataKey on it to the role that opens exec sessions, and in the key's own policy (${name}: ${message})`,
        { cause: error },
      );
    case 'not-found':
    case 'refused':
      return new PermanentError(
        `${which}, of which no data key can be made: see that it is there and enabled, and that executeCommandConfiguration of the ECS cluster names the right one (${name}: ${message})`,
        { cause: error },
      );
    case 'unanswered':
    case 'server':
    case 'throttled':
      return translateAwsError(error, `${which}; KMS GenerateDataKey`);
    default:
      return kind satisfies never;
  }
};
