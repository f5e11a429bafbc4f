import {
  DeleteParameterCommand,
  type DeleteParameterCommandInput,
  PutParameterCommand,
  type PutParameterCommandInput,
  type SSMClient,
} from '@aws-sdk/client-ssm';

/** The calls of the SSM parameter store this provider makes. Each rejects with the SDK's error. */
export interface ParametersApi {
  putParameter(input: PutParameterCommandInput, signal: AbortSignal): Promise<unknown>;
  deleteParameter(input: DeleteParameterCommandInput, signal: AbortSignal): Promise<unknown>;
}

/** {@link ParametersApi} over the SDK. */
export const createParametersApi = (client: SSMClient): ParametersApi => ({
  putParameter: (input, signal) => client.send(new PutParameterCommand(input), { abortSignal: signal }),
  deleteParameter: (input, signal) => client.send(new DeleteParameterCommand(input), { abortSignal: signal }),
});
