import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Context } from 'aws-lambda';
import { installAwsLambda } from '../../../infra/local/front/response-stream.ts';
import type { StreamingHandler } from '../../../infra/local/front/streaming.ts';
import { SystemClock } from '../../../src/adapters/system/system-clock.ts';
import { kubeletHandler } from '../../../src/lambda/kubelet-handler.ts';
import { streamHandler } from '../../../src/lambda/stream-handler.ts';
import { startKubeletServer } from '../../../src/server/kubelet-server.ts';
import { FakeClock } from '../../fakes/clock.ts';
import { RecordingLogger } from '../../support/recording-logger.ts';
import { API_SERVER, requestOf } from '../../unit/kubelet/kubelet-world.ts';
import { FrontWorld, withCertificate } from '../../unit/local/front/front-world.ts';
import { TestAuthority } from '../../unit/server/test-certificates.ts';
import { describeKubeletApi } from './kubelet-api-suite.ts';

describeKubeletApi('plain function calls', async (handler) => ({
  send: async (url, { method = 'GET', headers = {}, certificate = 'api-server' }) => {
    const identity = certificate === 'none' ? {} : { clientCertificate: API_SERVER };
    const { status, headers: sent, body } = await handler(requestOf(method, url, { headers, ...identity }));
    if (typeof body === 'string' || body instanceof Uint8Array)
      return { status, headers: sent, body: Buffer.from(body) };
    return { status, headers: sent, body: await bytesOf(body) };
  },
  close: async () => undefined,
}));

describeKubeletApi('the HTTPS server', async (handler) => {
  const authority = await TestAuthority.create();
  const [own, apiServer] = await Promise.all([
    authority.issue({ subject: 'CN=system:node:vk-a', usage: 'server' }),
    authority.issue({ subject: 'O=system:masters, CN=kube-apiserver-kubelet-client' }),
  ]);
  const server = await startKubeletServer({
    host: '127.0.0.1',
    port: 0,
    certificates: { ...own, clientCertificateAuthority: authority.certificate },
    handler,
    clock: new FakeClock(Date.now()),
    logger: new RecordingLogger(),
  });
  return {
    send: async (path, { method = 'GET', headers = {}, certificate = 'api-server' }) => {
      const identity = certificate === 'none' ? {} : { cert: apiServer.certificate, key: apiServer.privateKey };
      const call = httpsRequest({
        host: '127.0.0.1',
        port: server.port,
        ca: authority.certificate,
        agent: false,
        path,
        method,
        headers,
        ...identity,
      });
      call.end();
      const [response] = (await once(call, 'response')) as [IncomingMessage];
      return { status: response.statusCode ?? 0, headers: response.headers, body: await bytesOf(response) };
    },
    close: () => server.close(0),
  };
});

describeKubeletApi('the Lambda functions behind API Gateway', async (handler) => {
  installAwsLambda();
  const options = { clock: new SystemClock(), logger: new RecordingLogger() };
  const [buffered, streamed] = [kubeletHandler(handler, options), streamHandler(handler, options)];
  const world = await FrontWorld.start({
    invoke: (event) => buffered(event, LAMBDA_CONTEXT),
    stream: streamed as StreamingHandler,
  });
  const apiServer = await world.authority.issue({ subject: 'O=system:masters, CN=kube-apiserver-kubelet-client' });
  return {
    send: async (path, { method = 'GET', headers = {}, certificate = 'api-server' }) => {
      const identity = certificate === 'none' ? {} : withCertificate(apiServer);
      const response = await world.open(path, { method, headers, ...identity });
      return { status: response.statusCode ?? 0, headers: response.headers, body: await bytesOf(response) };
    },
    close: () => FrontWorld.stopAll(),
  };
});

const LAMBDA_CONTEXT = { getRemainingTimeInMillis: () => 29_000 } as Context;

const bytesOf = async (chunks: AsyncIterable<Uint8Array>): Promise<Buffer> => {
  const all: Uint8Array[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return Buffer.concat(all);
};
