import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import * as z from 'zod/mini';
import { faultSchema } from './faults/fault-model.ts';
import { faultProblems } from './faults/fault-problems.ts';
import { answerRequest } from './front-door.ts';
import { isLocalClient } from './local-client.ts';
import { AwsError, NoAnswer } from './service-error.ts';
import type { AwsServices } from './services.ts';

const maxBodyBytes = 4 * 1_048_576;

/**
 * Serves the AWS JSON protocol at `/` and the faults at `/_local/faults` (GET lists, POST adds one, DELETE clears). Refuses
 * what a web page could send: foreign Host names, requests with an Origin, unsigned requests.
 */
export const requestListener =
  (services: AwsServices, accessKeyId: string | undefined): RequestListener =>
  (request, response) => {
    serve(services, accessKeyId, request, response).catch((error: unknown) => {
      if (error instanceof NoAnswer) {
        // A hanging request ends with the client's patience or with the server.
        if (error.manner === 'reset') request.socket.destroy();
        return;
      }
      if (response.headersSent) response.destroy();
      else
        send(response, 500, {
          __type: 'InternalFailure',
          message: error instanceof Error ? error.message : String(error),
        });
    });
  };

const serve = async (
  services: AwsServices,
  accessKeyId: string | undefined,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> => {
  const { authorization = '' } = request.headers;
  if (!isLocalClient(request.headers)) {
    return send(response, 403, {
      __type: 'AccessDeniedException',
      message: 'The local cloud answers local clients only.',
    });
  }
  const body = await read(request);
  if (body === undefined) {
    return send(response, 413, { __type: 'RequestEntityTooLargeException', message: 'The request is too large.' });
  }
  if (request.url === '/_local/faults') {
    if (accessKeyId !== undefined && authorization !== `Bearer ${accessKeyId}`) {
      return send(response, 401, { message: 'The control endpoint needs the local access key id as a bearer token.' });
    }
    return controlFaults(services, request.method ?? '', body, response);
  }
  if (!authorization.startsWith('AWS4-HMAC-SHA256 Credential=')) {
    return send(response, 400, {
      __type: 'MissingAuthenticationTokenException',
      message: 'Missing Authentication Token',
    });
  }
  if (accessKeyId !== undefined && !authorization.includes(`Credential=${accessKeyId}/`)) {
    return send(response, 400, {
      __type: 'UnrecognizedClientException',
      message: 'The security token included in the request is invalid.',
    });
  }
  const answer = await answerRequest(services, String(request.headers['x-amz-target'] ?? ''), body);
  response.writeHead(answer.status, answer.headers).end(answer.body);
};

const controlFaults = (services: AwsServices, method: string, body: string, response: ServerResponse): void => {
  switch (method) {
    case 'GET':
      return send(response, 200, { faults: services.faults.list() });
    case 'DELETE':
      services.faults.clear();
      return send(response, 200, { faults: [] });
    case 'POST':
      return addFault(services, body, response);
    default:
      return send(response, 405, { message: 'Use GET, POST or DELETE.' });
  }
};

const addFault = (services: AwsServices, body: string, response: ServerResponse): void => {
  try {
    const fault = z.safeParse(faultSchema, JSON.parse(body));
    if (!fault.success) return send(response, 400, { message: faultProblems(fault.error) });
    services.faults.inject(fault.data);
    return send(response, 200, { faults: services.faults.list() });
  } catch (error) {
    if (error instanceof AwsError) return send(response, 409, { message: error.message });
    if (error instanceof SyntaxError) return send(response, 400, { message: 'The body is not JSON.' });
    throw error;
  }
};

const read = async (request: IncomingMessage): Promise<string | undefined> => {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > maxBodyBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
};

const send = (response: ServerResponse, status: number, body: unknown): void => {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
};
