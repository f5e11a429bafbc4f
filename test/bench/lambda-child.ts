/**
 * One function as Lambda's runtime would hold it: loads the bundle that it is told over IPC, hands it the events one after
 * the other, and answers the most memory it ever had.
 */
import { createRequire } from 'node:module';
import { Writable } from 'node:stream';
import { createSecureContext } from 'node:tls';

interface Work {
  readonly bundle: string;
  readonly events: readonly unknown[];
}

type Handler = (event: unknown, ...rest: readonly unknown[]) => Promise<unknown>;

const context = { getRemainingTimeInMillis: () => 60_000, functionName: 'bench', awsRequestId: 'bench' };
/** AWS's endpoints are spoken to over TLS, with the roots of Node.js; here they are plain. */
const roots = createSecureContext();

Object.assign(globalThis, {
  awslambda: {
    streamifyResponse: (handler: Handler) => (event: unknown) => handler(event, sink(), context),
    HttpResponseStream: { from: (stream: Writable) => stream },
  },
});

const sink = (): Writable => new Writable({ write: (_chunk, _encoding, done) => done() });

process.on('message', ({ bundle, events }: Work) => {
  void work(bundle, events).then(
    (answers) => process.send?.({ maxRssKiB: process.resourceUsage().maxRSS, answers, hasRoots: roots !== undefined }),
    (error: unknown) => process.send?.({ failed: String(error) }),
  );
});

const work = async (bundle: string, events: readonly unknown[]): Promise<readonly unknown[]> => {
  const { handler } = createRequire(import.meta.url)(bundle) as { readonly handler: Handler };
  const answers: unknown[] = [];
  for (const event of events) answers.push(await handler(event, context));
  // The first and the last are enough to see that it has worked.
  return [answers[0], answers.at(-1)];
};
