import type { IncomingMessage } from 'node:http';
import type { AroundRequest } from '../../adapters/kubernetes/kubernetes-client.ts';
import type { Telemetry } from '../../ports/metrics.ts';

const SECONDS = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 5, 10, 30];
/** client-go's word where no answer came. */
const NO_ANSWER = '<error>';

/** Counts and times requests to the API server, under client-go's names; a span for each where there is a tracer. */
export const measuredRequests = (
  { metrics, tracer }: Pick<Telemetry, 'metrics' | 'tracer'>,
  clock: { now(): number },
): AroundRequest => {
  const requests = metrics.counter({
    name: 'rest_client_requests_total',
    help: 'Requests to the API server, by status code and method.',
    labels: ['code', 'method'],
  });
  const durations = metrics.histogram({
    name: 'rest_client_request_duration_seconds',
    help: 'Time from a request to the API server to the head of its answer.',
    labels: ['verb'],
    buckets: SECONDS,
  });
  const measured = async (method: string, send: () => Promise<IncomingMessage>): Promise<IncomingMessage> => {
    const began = clock.now();
    let code = NO_ANSWER;
    try {
      const response = await send();
      code = String(response.statusCode);
      return response;
    } finally {
      requests.add({ code, method });
      durations.observe({ verb: method }, (clock.now() - began) / 1_000);
    }
  };
  if (!tracer) return ({ method }, send) => measured(method, send);
  return ({ method, path }, send) => {
    const attributes = { 'http.request.method': method, 'url.path': path };
    return tracer.span({ name: `kubernetes.${method}`, kind: 'client', attributes }, () => measured(method, send));
  };
};
