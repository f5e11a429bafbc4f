import { once } from 'node:events';
import { createServer } from 'node:http';
import { expect, it } from 'vitest';
import { KubernetesClient } from '../../../../src/adapters/kubernetes/kubernetes-client.ts';
import { PrometheusMetrics } from '../../../../src/adapters/telemetry/prometheus-metrics.ts';
import { measuredRequests } from '../../../../src/app/process/measured-requests.ts';
import { NotFoundError, TransientError } from '../../../../src/core/errors.ts';
import type { SpanStart, Tracer } from '../../../../src/ports/tracer.ts';
import { FakeClock } from '../../../fakes/clock.ts';

const BODY = JSON.stringify({ kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'NotFound', code: 404 });

it('requests to the API server are counted by code and method, those without an answer too', async () => {
  const server = createServer((request, response) => {
    if (request.url === '/cut') request.socket.destroy();
    else response.writeHead(request.url === '/none' ? 404 : 200, { 'content-type': 'application/json' }).end(BODY);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const clock = new FakeClock();
  const metrics = new PrometheusMetrics(clock);
  const spans: SpanStart[] = [];
  const tracer: Tracer = {
    span: (start, work) => {
      spans.push(start);
      return work();
    },
  };
  const around = measuredRequests({ metrics, tracer }, clock);
  const client = new KubernetesClient({ server: `http://127.0.0.1:${port}` }, { clock, around });
  const { signal } = new AbortController();

  await client.get('/a', { signal });
  await client.get('/a', { signal });
  await client.patch('/a', 'merge', {}, { signal });
  await expect(client.get('/none', { signal })).rejects.toBeInstanceOf(NotFoundError);
  (await client.stream('/watch', { signal })).destroy();
  await expect(client.create('/cut', {}, { signal })).rejects.toBeInstanceOf(TransientError);

  const { text } = await metrics.expose();
  expect(text.split('\n').filter((line) => line.startsWith('rest_client_requests_total{'))).toEqual([
    'rest_client_requests_total{code="200",method="GET"} 3',
    'rest_client_requests_total{code="200",method="PATCH"} 1',
    'rest_client_requests_total{code="404",method="GET"} 1',
    'rest_client_requests_total{code="<error>",method="POST"} 1',
  ]);
  expect(text).toContain('rest_client_request_duration_seconds_count{verb="GET"} 4');
  expect(spans[2]).toEqual({
    name: 'kubernetes.PATCH',
    kind: 'client',
    attributes: { 'http.request.method': 'PATCH', 'url.path': '/a' },
  });
  client.close();
  server.close();
});
