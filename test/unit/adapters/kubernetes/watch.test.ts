import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { KubernetesClient } from '../../../../src/adapters/kubernetes/kubernetes-client.ts';
import { watch } from '../../../../src/adapters/kubernetes/watch.ts';
import { TransientError } from '../../../../src/core/errors.ts';
import type { WatchEvent } from '../../../../src/ports/list-watch.ts';
import { FakeClock } from '../../../fakes/clock.ts';
import { ApiServer, json, status } from './api-server.ts';

const { signal } = new AbortController();
let server: ApiServer;
let client: KubernetesClient;

beforeEach(async () => {
  server = await ApiServer.plain();
  client = new KubernetesClient(server.credentials, { clock: new FakeClock() });
});

afterEach(async () => {
  client.close();
  await server.close();
});

const object = (name: string): unknown => ({ metadata: { name, resourceVersion: '5' } });
const line = (type: string, body: unknown): string => `${JSON.stringify({ type, object: body })}\n`;

const all = async (options: Partial<Parameters<typeof watch>[2]> = {}): Promise<WatchEvent<unknown>[]> => {
  const events: WatchEvent<unknown>[] = [];
  for await (const event of watch(client, '/api/v1/pods', { signal, resourceVersion: '4', ...options }))
    events.push(event);
  return events;
};

const answering = (write: (response: ServerResponse) => void): void => {
  server.answer = (_, response) => {
    response.writeHead(200);
    write(response);
  };
};

it('asks for bookmarks, a version to begin at and an end', async () => {
  answering((response) => response.end());
  await all({ query: { fieldSelector: 'spec.nodeName=a' }, timeoutSeconds: 40 });
  expect(server.received[0]?.url).toBe(
    '/api/v1/pods?fieldSelector=spec.nodeName%3Da&watch=true&allowWatchBookmarks=true&resourceVersion=4&timeoutSeconds=40',
  );
});

it('reads changes and bookmarks, however the lines are cut', async () => {
  const bytes = Buffer.from(
    line('ADDED', object('ä')) +
      line('MODIFIED', object('b')) +
      line('BOOKMARK', object('')) +
      line('DELETED', object('b')),
  );
  answering((response) => {
    const send = (from: number): void => {
      if (from >= bytes.length) response.end();
      else response.write(bytes.subarray(from, from + 37), () => send(from + 37));
    };
    send(0);
  });
  expect(await all()).toEqual([
    { type: 'ADDED', object: { metadata: { name: 'ä', resourceVersion: '5' } } },
    { type: 'MODIFIED', object: { metadata: { name: 'b', resourceVersion: '5' } } },
    { type: 'BOOKMARK', resourceVersion: '5' },
    { type: 'DELETED', object: { metadata: { name: 'b', resourceVersion: '5' } } },
  ]);
});

it('reads a character whose bytes come apart', async () => {
  const bytes = Buffer.from(line('ADDED', object('ä')));
  const inside = bytes.indexOf(0xc3) + 1;
  answering((response) => {
    response.write(bytes.subarray(0, inside));
    setTimeout(() => response.end(bytes.subarray(inside)), 20);
  });
  expect(await all()).toEqual([{ type: 'ADDED', object: { metadata: { name: 'ä', resourceVersion: '5' } } }]);
});

it('says that the version has expired, inside the stream', async () => {
  answering((response) => response.end(line('ERROR', status(410, 'Expired', 'too old')) + line('ADDED', object('x'))));
  expect(await all()).toEqual([{ type: 'EXPIRED' }]);
});

it('says that the version has expired, as an answer', async () => {
  server.answer = (_, response) => json(response, 410, status(410, 'Expired', 'too old'));
  expect(await all()).toEqual([{ type: 'EXPIRED' }]);
});

it.each([
  ['another error inside the stream', line('ERROR', status(500, 'InternalError', 'boom')), 'watch /api/v1/pods: boom'],
  ['half an event', line('ADDED', object('a')).slice(0, 20), 'in the middle of an event'],
  ['something else', '<html>\n', 'not JSON'],
  ['an unknown type', line('SURPRISE', object('a')), 'not a watch event'],
])('throws on %s', async (_, text, message) => {
  answering((response) => response.end(text));
  const watching = all();
  await expect(watching).rejects.toThrow(TransientError);
  await expect(watching).rejects.toThrow(message);
});

it('throws when the connection breaks', async () => {
  answering((response) => response.write(line('ADDED', object('a')), () => setTimeout(() => server.cut(), 10)));
  await expect(all()).rejects.toThrow('watch /api/v1/pods: the connection broke');
});

it('takes long silence for a dead connection', async () => {
  answering((response) => response.write(line('ADDED', object('a'))));
  await expect(all({ silenceMs: 30 })).rejects.toThrow('watch /api/v1/pods: nothing heard for 0.03 s');
});

it('ends without an error when its caller gives up', async () => {
  const caller = new AbortController();
  answering((response) => response.write(line('ADDED', object('a')), () => setTimeout(() => caller.abort(), 10)));
  expect(await all({ signal: caller.signal })).toHaveLength(1);
});

it('lets go of the connection when its reader stops early', async () => {
  let closed: Promise<void> | undefined;
  answering((response) => {
    closed = new Promise((resolve) => response.once('close', resolve));
    response.write(line('ADDED', object('a')));
  });
  for await (const event of watch(client, '/x', { signal, resourceVersion: '1' })) {
    expect(event.type).toBe('ADDED');
    break;
  }
  await closed;
});
