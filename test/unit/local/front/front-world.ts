import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { request as httpsRequest, type RequestOptions } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { type Front, type FrontOptions, startFront } from '../../../../infra/local/front/start-front.ts';
import type { StreamingHandler } from '../../../../infra/local/front/streaming.ts';
import { type KeyPair, TestAuthority } from '../../server/test-certificates.ts';

type Invoke = (event: APIGatewayProxyEvent, functionName: string) => unknown;

/** A front before a Lambda endpoint in this process. */
export class FrontWorld {
  static readonly #started: FrontWorld[] = [];

  readonly front: Front;
  readonly faults: string[];
  readonly authority: TestAuthority;
  readonly #lambda: Server;

  private constructor(front: Front, faults: string[], authority: TestAuthority, lambda: Server) {
    this.front = front;
    this.faults = faults;
    this.authority = authority;
    this.#lambda = lambda;
  }

  static async start(
    parts: {
      readonly invoke?: Invoke;
      readonly stream?: StreamingHandler;
      readonly options?: Partial<FrontOptions>;
    } = {},
  ): Promise<FrontWorld> {
    const authority = await sharedAuthority();
    const server = await authority.issue({ subject: 'CN=front', usage: 'server' });
    const lambda = await startLambda(parts.invoke ?? (() => ({ statusCode: 200, body: 'ok' })));
    const faults: string[] = [];
    const front = await startFront({
      port: 0,
      certificates: { ...server, clientCertificateAuthority: authority.certificate },
      lambdaUrl: `http://127.0.0.1:${(lambda.address() as AddressInfo).port}`,
      kubeletApi: { functionName: 'svk-dev-kubelet-api' },
      containerLogs: {
        functionName: 'svk-dev-container-logs',
        handler: async () => {
          if (parts.stream === undefined) throw new Error('no streaming function in this test');
          return parts.stream;
        },
      },
      onFault: (message) => faults.push(message),
      ...parts.options,
    });
    const world = new FrontWorld(front, faults, authority, lambda);
    FrontWorld.#started.push(world);
    return world;
  }

  async open(path: string, options: RequestOptions = {}, body?: Uint8Array): Promise<IncomingMessage> {
    const call = httpsRequest({
      host: '127.0.0.1',
      port: this.front.port,
      ca: this.authority.certificate,
      agent: false,
      path,
      ...options,
    });
    call.end(body);
    const [response] = (await once(call, 'response')) as [IncomingMessage];
    return response;
  }

  async get(
    path: string,
    options: RequestOptions = {},
    body?: Uint8Array,
  ): Promise<{ status: number; headers: IncomingMessage['headers']; body: string }> {
    const response = await this.open(path, options, body);
    return { status: response.statusCode ?? 0, headers: response.headers, body: (await bytesOf(response)).toString() };
  }

  /** Ends every world of the test. */
  static async stopAll(this: void): Promise<void> {
    for (const world of FrontWorld.#started.splice(0)) await world.#stop();
  }

  async #stop(): Promise<void> {
    await this.front.close();
    this.#lambda.closeAllConnections();
    await new Promise((resolve) => this.#lambda.close(resolve));
  }
}

let shared: Promise<TestAuthority> | undefined;
const sharedAuthority = (): Promise<TestAuthority> => (shared ??= TestAuthority.create('CN=client-ca'));

export const withCertificate = ({ certificate, privateKey }: KeyPair): RequestOptions => ({
  cert: certificate,
  key: privateKey,
});

export const bytesOf = async (message: AsyncIterable<Buffer>): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk);
  return Buffer.concat(chunks);
};

/** serverless-offline's endpoint: a function that throws is 200 with `x-amz-function-error`. */
const startLambda = async (invoke: Invoke): Promise<Server> => {
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const name = request.url?.split('/')[3] ?? '';
    try {
      const answer = await invoke(JSON.parse((await bytesOf(request)).toString()) as APIGatewayProxyEvent, name);
      response.end(JSON.stringify(answer));
    } catch (error) {
      response.setHeader('x-amz-function-error', 'Unhandled');
      response.end(JSON.stringify({ errorMessage: (error as Error).message }));
    }
  };
  const server = createServer((request, response) => void serve(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
};
