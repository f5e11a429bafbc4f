import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { KubernetesClient } from '../../../../src/adapters/kubernetes/kubernetes-client.ts';
import { SystemClock } from '../../../../src/adapters/system/system-clock.ts';
import { webhookCheck } from '../../../../src/cli/doctor/checks/webhook.ts';
import type { Finding } from '../../../../src/cli/doctor/finding.ts';
import { openWorld } from '../../../../src/cli/doctor/open-world.ts';
import { toWebhookConfiguration } from '../../../../src/cli/manifests/webhook-configuration.ts';
import { FakeAccount } from '../../../fakes/account/fake-account.ts';

const SECRET = '0123456789abcdef0123456789abcdef';
const { signal } = new AbortController();
const clock = new SystemClock();

/** An API server that holds one webhook configuration, and the webhook itself. */
let server: Server;
let url: string;
let answer: { readonly status: number; readonly body: string };
const reviews: unknown[] = [];

beforeEach(async () => {
  reviews.length = 0;
  server = createServer((request, response) => {
    void text(request).then((body) => {
      if (request.method === 'GET') {
        const options = { deployment: 'dev', nodes: ['fargate'], url: `${url}/admission/${SECRET}` };
        return response.end(JSON.stringify(toWebhookConfiguration(options)));
      }
      reviews.push({ path: request.url, ...(JSON.parse(body) as object) });
      return response.writeHead(answer.status).end(answer.body);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

const examine = async (): Promise<readonly Finding[]> => {
  const account = new FakeAccount();
  account.parameters.set('/svk-system/dev/admission', SECRET);
  const client = new KubernetesClient({ server: url }, { clock });
  const world = openWorld({ deployment: 'dev', region: 'eu-west-1', grants: [], pod: undefined }, account, {
    clock,
    signal,
    environment: {},
  });
  try {
    return await webhookCheck.run({ ...world, operator: () => Promise.resolve(client) }, signal);
  } finally {
    client.close();
    world.close();
  }
};

describe('the webhook', () => {
  it('is asked by a dry run, so that nothing comes of it', async () => {
    answer = { status: 200, body: '{"response":{"uid":"doctor","allowed":true}}' };
    expect(await examine()).toEqual([{ status: 'pass', message: 'the webhook answers' }]);
    expect(reviews).toMatchObject([
      { path: `/admission/${SECRET}`, kind: 'AdmissionReview', request: { dryRun: true } },
    ]);
  });

  it.each([
    [{ status: 403, body: '' }, 'the webhook answers with HTTP 403'],
    [{ status: 200, body: '<html>' }, 'something answers at the address of the webhook that is none'],
    [
      { status: 200, body: '{"response":{"allowed":false}}' },
      'something answers at the address of the webhook that is none',
    ],
  ])('that answers %j: %s', async (given, message) => {
    answer = given;
    expect(await examine()).toMatchObject([{ status: 'fail', message }]);
  });
});
