import { afterEach, describe, expect, it } from 'vitest';
import type { KubeletHandler } from '../../../src/kubelet/http.ts';
import { KubeletWorld } from '../../unit/kubelet/kubelet-world.ts';

export interface Exchange {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Default: the API server's. */
  readonly certificate?: 'api-server' | 'none';
}

/** Something that carries requests to a handler. */
export interface Mount {
  close(): Promise<void>;
  send(
    url: string,
    exchange: Exchange,
  ): Promise<{ readonly status: number; readonly headers: Readonly<Record<string, unknown>>; readonly body: Buffer }>;
}

const ANSWERS: readonly (Exchange & { readonly url: string; readonly status: number; readonly body: string })[] = [
  { url: '/healthz', status: 200, body: 'ok' },
  { url: '/healthz', certificate: 'none', status: 401, body: 'Unauthorized' },
  { url: '/healthz', certificate: 'none', headers: { authorization: 'Bearer good' }, status: 200, body: 'ok' },
  {
    url: '/healthz',
    certificate: 'none',
    headers: { authorization: 'Bearer bad' },
    status: 401,
    body: 'Unauthorized',
  },
  { url: '/metrics/none', status: 404, body: '404: Page Not Found' },
  { url: '/pods', method: 'DELETE', status: 405, body: '405: Method Not Allowed' },
  { url: '/runningpods', status: 301, body: '' },
  { url: '/containerLogs/default/web/app?tailLines=2', status: 200, body: 'second\nthird \u00e9\u0000\n' },
  { url: '/containerLogs/default/web/app?tailLines=0', status: 200, body: '' },
  { url: '/containerLogs/default/%77eb/app/', status: 200, body: 'first\nsecond\nthird \u00e9\u0000\n' },
  {
    url: '/containerLogs/default/web/app?previous=true',
    status: 400,
    body: 'previous terminated container "app" in pod "web" not found',
  },
  { url: '/containerLogs/default/web/other', status: 404, body: 'container "other" not found in pod "web"' },
  { url: '/containerLogs/default/none/app', status: 404, body: 'pod "none" does not exist' },
  {
    url: '/containerLogs/default/web/app?sinceSeconds=1&sinceTime=2030-01-01T00%3A00%3A00Z',
    status: 400,
    body: 'invalid log options: Forbidden: at most one of `sinceTime` or `sinceSeconds` may be specified',
  },
  {
    url: '/containerLogs/default/waiting/app',
    status: 400,
    body: 'container "app" in pod "waiting" is waiting to start: ContainerCreating',
  },
];

/** What the kubelet API answers, whatever carries it. */
export const describeKubeletApi = (name: string, mount: (handler: KubeletHandler) => Promise<Mount>): void => {
  describe(`the kubelet API on ${name}`, () => {
    const mounts: Mount[] = [];
    const carry = async (handler: KubeletHandler): Promise<Mount> => {
      const mounted = await mount(handler);
      mounts.push(mounted);
      return mounted;
    };
    afterEach(async () => {
      for (const mounted of mounts.splice(0)) await mounted.close();
    });

    it.each(ANSWERS.map((one) => ({ ...one, line: `${one.method ?? 'GET'} ${one.url}` })))(
      'answers $status to $line',
      async ({ url, status, body, line: _line, ...exchange }) => {
        const world = await worldWithPods();
        const transport = await carry(world.api);
        const answer = await transport.send(url, exchange);
        expect({ status: answer.status, body: answer.body.toString('utf8') }).toEqual({ status, body });
      },
    );

    it.each([
      { method: 'POST', protocol: 'SPDY/3.1' },
      { method: 'GET', protocol: 'websocket' },
    ])('refuses an upgrade of $method to $protocol with a whole Status', async ({ method, protocol }) => {
      const world = await worldWithPods();
      const transport = await carry(world.api);
      const headers = { connection: 'Upgrade', upgrade: protocol };
      const answer = await transport.send('/exec/default/web/app?command=ls&output=1', { method, headers });
      expect(answer.status).toBe(501);
      expect(answer.headers['content-type']).toBe('application/json');
      expect(JSON.parse(answer.body.toString('utf8'))).toMatchObject({
        kind: 'Status',
        reason: 'NotImplemented',
        code: 501,
      });
    });

    it('keeps every byte of a log', async () => {
      const world = await worldWithPods();
      const bytes = Buffer.from(Array.from({ length: 1_000_003 }, (_, index) => (index * 131 + (index >> 7)) & 255));
      world.provider.logs = async function* () {
        for (let at = 0; at < bytes.length; at += 9_973) yield bytes.subarray(at, at + 9_973);
      } as typeof world.provider.logs;
      const transport = await carry(world.api);
      const answer = await transport.send('/containerLogs/default/web/app', {});
      expect(answer.headers['content-type']).toBe('text/plain');
      expect(answer.body.equals(bytes)).toBe(true);
    });
  });
};

const worldWithPods = async (): Promise<KubeletWorld> => {
  const world = new KubeletWorld();
  world.kubernetes.putToken('good', { username: 'jane', groups: [] });
  const id = await world.run(world.addPod('web'));
  world.provider.print(id, 'app', 'first', 'second', 'third \u00e9\u0000');
  world.addPod('waiting');
  return world;
};
