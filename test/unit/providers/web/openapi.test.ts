import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import * as z from 'zod/mini';
import {
  describedSchema,
  launchedSchema,
  pageSchema,
  preparedSchema,
  statsSchema,
} from '../../../../src/providers/web/protocol.ts';
import { json, providerOf, startService } from './stub-service.ts';

const { signal } = new AbortController();
const media = z.record(
  z.string(),
  z.looseObject({
    example: z.optional(z.unknown()),
    examples: z.optional(z.record(z.string(), z.looseObject({ value: z.unknown() }))),
  }),
);
const operation = z.looseObject({
  parameters: z.optional(z.array(z.looseObject({ name: z.string() }))),
  requestBody: z.optional(z.looseObject({ content: media })),
  responses: z.record(z.string(), z.looseObject({ content: z.optional(media) })),
});
const { paths } = z
  .looseObject({ paths: z.record(z.string(), z.record(z.string(), operation)) })
  .parse(parse(readFileSync(new URL('../../../../docs/web-provider.openapi.yaml', import.meta.url), 'utf8')));

const answersOf = (path: string, method: string): readonly unknown[] => {
  const body = paths[path]?.[method]?.responses['200']?.content?.['application/json'];
  return [
    ...(body?.example === undefined ? [] : [body.example]),
    ...Object.values(body?.examples ?? {}).map((one) => one.value),
  ];
};

describe('docs/web-provider.openapi.yaml', () => {
  it.each([
    ['/prepare', 'post', preparedSchema, 2],
    ['/launch', 'post', launchedSchema, 2],
    ['/describe', 'post', describedSchema, 1],
    ['/workloads', 'get', pageSchema, 1],
    ['/stats', 'get', statsSchema, 1],
  ] as const)('shows answers of %s as they are read, every member of them', (path, method, schema, count) => {
    const answers = answersOf(path, method);
    expect(answers).toHaveLength(count);
    for (const answer of answers) expect(schema.parse(answer)).toEqual(answer);
  });

  it('names every call the provider makes, with its parameters, and no other', async () => {
    const service = await startService((response, call) => {
      if (call.line.includes('/watch')) return void response.writeHead(404).end();
      json({ ok: true, preparation: 'p', workloads: [], missing: ['w'] })(response, call);
    });
    const provider = providerOf(service.url);
    const preparation = provider.prepare({ spec: { containers: [] } }, { node: 'web', environment: {} });
    if (!preparation.ok) throw new Error('refused');
    await provider.ping(signal);
    const request = await provider.provision(preparation.prepared, { podUid: 'u', attempt: 1, try: 1 }, signal);
    await provider.launch(request, signal);
    await provider.describe(['w'], signal);
    await provider.find('u', signal);
    await provider.list({ stopped: true }, signal)[Symbol.asyncIterator]().next();
    await provider.stop('w', { graceSeconds: 1, reason: 'x' }, signal);
    await provider.stats(signal);
    provider.watch(() => undefined);
    const query = {
      workloadId: 'w',
      container: 'c',
      follow: false,
      timestamps: true,
      tailLines: 1,
      limitBytes: 1,
      sinceTime: 'x',
    };
    await provider.logs(query, signal)[Symbol.asyncIterator]().next();
    while (!service.seen.some(({ line }) => line.includes('/watch'))) await new Promise(setImmediate);

    const calls = new Map<string, Set<string>>();
    for (const { line } of service.seen) {
      const [method = '', target = ''] = line.split(' ');
      const { pathname, searchParams } = new URL(target, 'http://x');
      const call = `${method.toLowerCase()} ${pathname.replace('/v1', '')}`;
      calls.set(call, new Set([...(calls.get(call) ?? []), ...searchParams.keys()]));
    }
    const documented = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { parameters = [] }]): [string, Set<string>] => [
        `${method} ${path}`,
        // The second page is asked for only where there is one.
        new Set(parameters.map(({ name }) => name).filter((name) => name !== 'page')),
      ]),
    );
    expect(calls).toEqual(new Map(documented));
  });

  it('shows a preparation as it is sent', () => {
    const example = paths['/prepare']?.['post']?.requestBody?.content['application/json']?.example;
    expect(Object.keys(z.record(z.string(), z.unknown()).parse(example))).toEqual(['node', 'pod', 'environment']);
  });
});
