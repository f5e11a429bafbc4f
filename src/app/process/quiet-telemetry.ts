import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Telemetry } from '../../ports/metrics.ts';
import { NO_METRICS } from './no-metrics.ts';

/** Health without figures: `/healthz` and `/readyz` are answered, nothing is measured. */
export const QUIET_TELEMETRY: Telemetry = {
  metrics: NO_METRICS,
  serve: async ({ host, port }, isReady) => {
    const server = createServer((request, response) => {
      const path = request.url?.split('?')[0];
      const status = path === '/healthz' || (path === '/readyz' && isReady()) ? 200 : path === '/readyz' ? 503 : 404;
      response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' }).end(status === 200 ? 'ok' : 'no');
    });
    server.listen(port, host);
    await once(server, 'listening');
    const address = server.address();
    return {
      port: typeof address === 'object' && address !== null ? address.port : port,
      close: async () => {
        const closed = once(server, 'close');
        server.close();
        server.closeAllConnections();
        await closed;
      },
    };
  },
  close: () => Promise.resolve(),
};
