import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import * as z from 'zod/mini';
import type { Clock } from '../../src/core/clock.ts';

const batch = z.object({
  QueueUrl: z.string(),
  Entries: z.array(z.object({ Id: z.string(), MessageBody: z.string(), DelaySeconds: z.optional(z.number()) })),
});

/** A message, and the queue it waits in. */
export interface Waiting {
  readonly queue: string;
  readonly dueAt: number;
  readonly body: string;
}

/** SQS in virtual time: takes batches as the SDK sends them, and gives each message when its delay is over. */
export interface VirtualQueues {
  readonly url: string;
  /** Batches sent so far. */
  readonly sends: number;
  /** Takes what is due. */
  receive(): readonly Waiting[];
  close(): Promise<void>;
}

export const startVirtualQueues = async (clock: Clock): Promise<VirtualQueues> => {
  let waiting: Waiting[] = [];
  let sends = 0;
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { QueueUrl, Entries } = batch.parse(JSON.parse(await text(request)));
    sends += 1;
    const queue = QueueUrl.split('/').at(-1) ?? '';
    for (const { MessageBody: body, DelaySeconds = 0 } of Entries)
      waiting.push({ queue, body, dueAt: clock.now() + DelaySeconds * 1_000 });
    const Successful = Entries.map(({ Id, MessageBody }) => ({
      Id,
      MessageId: `${sends}-${Id}`,
      MD5OfMessageBody: createHash('md5').update(MessageBody).digest('hex'),
    }));
    response.writeHead(200, { 'content-type': 'application/x-amz-json-1.0' });
    response.end(JSON.stringify({ Successful, Failed: [] }));
  };
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get sends() {
      return sends;
    },
    receive: () => {
      const due = waiting.filter(({ dueAt }) => dueAt <= clock.now());
      waiting = waiting.filter((message) => !due.includes(message));
      return due;
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
};
