import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { afterEach, expect, it, vi } from 'vitest';
import { readVcpuQuotas } from '../../../../src/adapters/service-quotas/fargate-quotas.ts';

afterEach(() => vi.unstubAllEnvs());

it("reads Fargate's quotas, each by its code", async () => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'test');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test');
  // On demand and Spot, by the codes of the Service Quotas console.
  const values: Readonly<Record<string, number>> = { 'L-3032A538': 6, 'L-36FBB829': 500 };
  const server = createServer((request, response) => {
    void json(request).then((asked) => {
      const { ServiceCode, QuotaCode } = asked as { readonly ServiceCode: string; readonly QuotaCode: string };
      const Value = ServiceCode === 'fargate' ? values[QuotaCode] : undefined;
      response.end(JSON.stringify({ Quota: { QuotaCode, Value } }));
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    const { signal } = new AbortController();
    expect(await readVcpuQuotas({ region: 'eu-west-1', endpoint }, signal)).toEqual({ onDemand: 6, spot: 500 });
  } finally {
    server.closeAllConnections();
    server.close();
  }
});
