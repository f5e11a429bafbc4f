import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { AwsServices } from '../aws/services.ts';
import { tailLog } from './log-tail.ts';
import { type FeedOptions, PageFeed } from './page-feed.ts';

export interface PageOptions extends Omit<FeedOptions, 'tasks'> {
  /** 0: a free one. */
  readonly port: number;
  readonly aws: Pick<AwsServices, 'ecs' | 'logs'>;
}

export interface LocalPage {
  /** With the key that its reader needs: `http://127.0.0.1:PORT/KEY/`. */
  readonly url: string;
  close(): Promise<void>;
}

const assets: Readonly<Record<string, { readonly file: string; readonly type: string }>> = {
  '': { file: 'page.html', type: 'text/html; charset=utf-8' },
  'page.css': { file: 'page.css', type: 'text/css; charset=utf-8' },
  'page.mjs': { file: 'page.mjs', type: 'text/javascript; charset=utf-8' },
};

/** Nothing from elsewhere, nothing inline, nobody may frame it. */
const securityHeaders = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
};

const maxStreams = 32;
const heartbeatMs = 15_000;

/**
 * Serves the page on 127.0.0.1. It only reads. Its path holds a key of 128 bits, since logs may hold what other users of
 * this machine must not see; foreign Host names and Origins are refused, so that no web page reaches it through a name of
 * its own.
 */
export const startPage = async (options: PageOptions): Promise<LocalPage> => {
  const { aws, port } = options;
  const key = randomBytes(16).toString('hex');
  const feed = new PageFeed({ ...options, tasks: () => aws.ecs.tasks });
  const streams = new Set<ServerResponse>();

  const stream = (response: ServerResponse, open: (send: (data: string) => void) => (() => void) | undefined): void => {
    if (streams.size >= maxStreams) return refuse(response, 503, 'Too many pages are open.');
    const send = (data: string): void => void response.write(`data: ${data}\n\n`);
    const lines: string[] = [];
    let ready = false;
    // What comes at once must wait for the head, which depends on whether anything is there.
    const leave = open((data) => (ready ? send(data) : void lines.push(data)));
    if (!leave) return refuse(response, 404, 'There is no such log.');
    response.writeHead(200, { ...securityHeaders, 'content-type': 'text/event-stream' });
    response.write('retry: 1000\n\n');
    ready = true;
    for (const line of lines) send(line);
    streams.add(response);
    const heartbeat = setInterval(() => response.write(': still here\n\n'), heartbeatMs);
    response.once('close', () => {
      clearInterval(heartbeat);
      streams.delete(response);
      leave();
    });
  };

  const server = createServer((request, response) => {
    const refusal = refusalOf(request);
    if (refusal) return refuse(response, refusal.status, refusal.text);
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost');
    const [, given = '', name = '', ...rest] = pathname.split('/');
    if (given !== key || rest.length > 0 || !pathname.startsWith(`/${key}/`)) {
      return refuse(response, 404, 'Open the address that npm start has printed.');
    }
    const asset = Object.hasOwn(assets, name) ? assets[name] : undefined;
    if (asset) {
      response.writeHead(200, { ...securityHeaders, 'content-type': asset.type });
      return void response.end(readFileSync(new URL(`assets/${asset.file}`, import.meta.url)));
    }
    if (name === 'state') return stream(response, (send) => feed.watch(send));
    if (name === 'log') {
      const task = aws.ecs.tasks.find(({ id }) => id === searchParams.get('task'));
      const container = searchParams.get('container') ?? '';
      return stream(response, (send) => tailLog(aws.logs, task, container, (lines) => send(JSON.stringify(lines))));
    }
    return refuse(response, 404, 'There is nothing here.');
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/${key}/`,
    close: async () => {
      feed.close();
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
};

const refusalOf = ({
  method,
  headers,
}: IncomingMessage): { readonly status: number; readonly text: string } | undefined => {
  const { host = '', origin } = headers;
  if (!/^(127\.0\.0\.1|localhost)(:\d+)?$/.test(host)) return { status: 403, text: 'This page is for this machine.' };
  if (origin !== undefined && origin !== `http://${host}`) return { status: 403, text: 'This page is for itself.' };
  return method === 'GET' ? undefined : { status: 405, text: 'This page can only be read.' };
};

const refuse = (response: ServerResponse, status: number, text: string): void => {
  response.writeHead(status, { ...securityHeaders, 'content-type': 'text/plain; charset=utf-8' }).end(`${text}\n`);
};
