import { randomUUID } from 'node:crypto';
import { AwsError } from './service-error.ts';
import type { AwsServices } from './services.ts';

/** An answer on the wire. */
export interface WireAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * Answers one request of the AWS JSON 1.1 protocol, which the SDK's clients of all five services speak.
 * @param target the header `x-amz-target`, such as `AmazonSSM.GetParameter`.
 * @throws {NoAnswer} where a fault keeps the answer back.
 */
export const answerRequest = async (services: AwsServices, target: string, body: string): Promise<WireAnswer> => {
  try {
    return wire(200, (await handle(services, target, parseBody(body))) ?? {});
  } catch (error) {
    if (!(error instanceof AwsError)) throw error;
    const { code, message, status, fields } = error;
    return wire(status, { __type: code, message, ...fields });
  }
};

const handle = (services: AwsServices, target: string, input: unknown): Promise<unknown> => {
  const [service, action = ''] = target.split('.');
  switch (service) {
    case 'AmazonEC2ContainerServiceV20141113':
      return services.ecs.handle(action, input);
    case 'Logs_20140328':
      return services.logs.handle(action, input);
    case 'AmazonSSM':
      return services.ssm.handle(action, input);
    case 'secretsmanager':
      return services.secrets.handle(action, input);
    case 'TrentService':
      return services.keys.handle(action, input);
    default:
      throw new AwsError('UnknownOperationException', `The local cloud has no service for the target '${target}'.`);
  }
};

const parseBody = (body: string): unknown => {
  try {
    return body === '' ? {} : (JSON.parse(body) as unknown);
  } catch {
    throw new AwsError('SerializationException', 'The body is not JSON.');
  }
};

const wire = (status: number, body: unknown): WireAnswer => ({
  status,
  headers: { 'content-type': 'application/x-amz-json-1.1', 'x-amzn-requestid': randomUUID() },
  body: JSON.stringify(body),
});
