import { once } from 'node:events';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import * as z from 'zod/mini';

const attributes = z.array(
  z.object({
    key: z.string(),
    value: z.object({ stringValue: z.optional(z.string()), intValue: z.optional(z.number()) }),
  }),
);

const traces = z.object({
  resourceSpans: z.array(
    z.object({
      resource: z.object({ attributes }),
      scopeSpans: z.array(
        z.object({
          spans: z.array(
            z.object({
              traceId: z.string(),
              spanId: z.string(),
              parentSpanId: z.optional(z.string()),
              name: z.string(),
              kind: z.number(),
              startTimeUnixNano: z.coerce.bigint(),
              endTimeUnixNano: z.coerce.bigint(),
              attributes,
              status: z.object({ code: z.number(), message: z.optional(z.string()) }),
            }),
          ),
        }),
      ),
    }),
  ),
});

/** A span as it arrived, times in milliseconds. */
export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly name: string;
  /** 1 internal, 3 client. */
  readonly kind: number;
  readonly start: number;
  readonly end: number;
  readonly attributes: Readonly<Record<string, unknown>>;
  /** 0 unset, 2 error. */
  readonly status: { readonly code: number; readonly message?: string | undefined };
  readonly resource: Readonly<Record<string, unknown>>;
}

/** Takes traces by OTLP over HTTP, as JSON. */
export interface OtlpCollector {
  readonly url: string;
  readonly spans: readonly ReceivedSpan[];
  readonly paths: readonly string[];
  /** Answers every request from now on with this status. */
  answerWith(status: number): void;
  close(): Promise<void>;
}

/** Listens at a free port of the loopback interface. */
export const startOtlpCollector = async (): Promise<OtlpCollector> => {
  const spans: ReceivedSpan[] = [];
  const paths: string[] = [];
  let status = 200;
  const server = createServer((request, response) => {
    paths.push(request.url ?? '');
    void text(request).then((body) => {
      if (status === 200) spans.push(...spansOf(body));
      response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`,
    spans,
    paths,
    answerWith: (next) => {
      status = next;
    },
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
};

const spansOf = (body: string): readonly ReceivedSpan[] =>
  traces.parse(JSON.parse(body)).resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans
      .flatMap((scope) => scope.spans)
      .map((span) => ({
        traceId: span.traceId,
        spanId: span.spanId,
        parentSpanId: span.parentSpanId,
        name: span.name,
        kind: span.kind,
        start: Number(span.startTimeUnixNano / 1_000_000n),
        end: Number(span.endTimeUnixNano / 1_000_000n),
        attributes: recordOf(span.attributes),
        status: span.status,
        resource: recordOf(resource.attributes),
      })),
  );

const recordOf = (list: z.infer<typeof attributes>): Record<string, unknown> =>
  Object.fromEntries(list.map(({ key, value }) => [key, value.stringValue ?? value.intValue]));
