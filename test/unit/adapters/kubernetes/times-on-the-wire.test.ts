import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createKubernetes } from '../../../../src/adapters/kubernetes/kubernetes-api.ts';
import { KubernetesClient } from '../../../../src/adapters/kubernetes/kubernetes-client.ts';
import { LeaseController } from '../../../../src/controllers/node/lease-controller.ts';
import { toNodeConditions } from '../../../../src/controllers/node/node-conditions.ts';
import type { NodeDefinition } from '../../../../src/controllers/node/node-definition.ts';
import type { Lease, Node } from '../../../../src/model/kubernetes.ts';
import { FakeClock } from '../../../fakes/clock.ts';
import { RecordingLogger } from '../../../support/recording-logger.ts';

const { signal } = new AbortController();
const DEFINITION: NodeDefinition = { name: 'vk-a', architecture: 'amd64', capacity: {} };
const NODE: Node = { metadata: { name: 'vk-a', uid: 'u-1' } };
const NOT_FOUND = JSON.stringify({ kind: 'Status', status: 'Failure', reason: 'NotFound', code: 404 });

/** An API server that keeps one lease, and the bytes of every request that has some. */
let server: Server;
let client: KubernetesClient;
let lease: Lease | undefined;
const sent: string[] = [];

beforeEach(async () => {
  sent.length = 0;
  lease = undefined;
  server = createServer((request, response) => {
    void text(request).then((body) => {
      if (body !== '') sent.push(`${request.method} ${body}`);
      if (request.method === 'POST' || request.method === 'PUT') lease = JSON.parse(body) as Lease;
      const isLease = request.url?.includes('/leases') ?? false;
      if (isLease && lease === undefined) return response.writeHead(404).end(NOT_FOUND);
      return response.end(isLease ? JSON.stringify(lease) : '{}');
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  client = new KubernetesClient({ server: `http://127.0.0.1:${port}` }, { clock: new FakeClock() });
});
afterEach(() => {
  client.close();
  server.close();
});

const TIMES =
  /"(?:renewTime|acquireTime|eventTime|lastHeartbeatTime|lastTransitionTime)":"([^"]*)"|"\/spec\/renewTime","value":"([^"]*)"/g;
const times = (): readonly (string | undefined)[] =>
  sent.flatMap((body) => [...body.matchAll(TIMES)].map(([, field, patched]) => field ?? patched));

it.each([
  ['2030-01-01T00:00:00.123Z', '2030-01-01T00:00:00.123000Z'],
  ['2030-01-01T00:00:00.000Z', '2030-01-01T00:00:00.000000Z'],
])('N-01 a lease at %s is created, replaced and renewed with six fractional digits', async (now, wanted) => {
  const clock = new FakeClock(now);
  const { leases } = createKubernetes(client);
  const controller = (): LeaseController =>
    new LeaseController({
      leases,
      nodes: { ensureRegistered: () => Promise.resolve(NODE) },
      clock,
      logger: new RecordingLogger(),
      deployment: { name: 'dev', provider: 'fargate', version: '0' },
    });
  await controller().renewDue([DEFINITION], 'beat', signal);
  await controller().renewDue([DEFINITION], 'beat', signal);
  // An owner of another UID has the lease replaced as a whole.
  await controller().ensureOwner(DEFINITION, { metadata: { name: 'vk-a', uid: 'u-2' } }, signal);
  expect(sent.map((body) => body.split(' ')[0])).toEqual(['PATCH', 'POST', 'PATCH', 'PUT']);
  expect(times()).toEqual([wanted, wanted, wanted, wanted]);
});

it('N-01 ordinary times stay whole seconds', async () => {
  const now = Date.parse('2030-01-01T00:00:00.987Z');
  const conditions = toNodeConditions({ ready: true, reachable: 'True' }, { before: undefined, now });
  await createKubernetes(client).nodes.patchStatus('vk-a', { conditions: [...conditions] }, signal);
  expect(new Set(times())).toEqual(new Set(['2030-01-01T00:00:00Z']));
});
