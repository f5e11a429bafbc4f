import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { freePort } from '../../infra/local/cloud/ports.ts';
import { type EmbeddedKubernetes, startEmbeddedKubernetes } from '../../infra/local/kubernetes/server.ts';
import { runNode } from '../../src/cli/run/run-node.ts';
import { runSvk } from '../../src/cli/run-svk.ts';
import { waitFor } from '../support/local-cloud.ts';
import { type OtlpCollector, startOtlpCollector } from '../support/otlp-collector.ts';
import { recordedLine } from './recorded-line.ts';

let folder: string;
let api: EmbeddedKubernetes;
let collector: OtlpCollector;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'svk-telemetry-'));
  api = await startEmbeddedKubernetes({ directory: folder });
  collector = await startOtlpCollector();
});
afterAll(async () => {
  await collector.close();
  await api.close();
  await rm(folder, { recursive: true, force: true });
});

/** The embedded API server signs none. */
const CERTIFICATE = '--serving-certificate=self-signed';

/** Runs `svk run` until `work` is done; answers its exit code. */
const during = async (flags: readonly string[], work: () => Promise<void>): Promise<number> => {
  const ending = new AbortController();
  const line = recordedLine(folder, {
    KUBECONFIG: api.kubeconfigPath,
    VKUBELET_POD_IP: '127.0.0.1',
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
  });
  const ended = runSvk(
    ['run', '--provider', 'mock', '--listen', '127.0.0.1:0', CERTIFICATE, ...flags],
    line,
    runNode({ ...line, signal: ending.signal }),
  );
  try {
    await waitFor(() => line.log().includes('msg=ready'), { withinMs: 20_000, what: 'the node' });
    await work();
  } finally {
    ending.abort();
  }
  return ended;
};

it('svk run tells its figures at --metrics-addr, and its traces to the collector of --trace-exporter otlp', async () => {
  const port = await freePort();
  const traces = ['--trace-exporter=otlp', '--trace-service-name=edge', '--trace-tag=region=eu'];
  const code = await during([`--metrics-addr=127.0.0.1:${port}`, ...traces], async () => {
    const answer = await fetch(`http://127.0.0.1:${port}/metrics`);
    expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    const text = await answer.text();
    expect(text).toMatch(/^workqueue_depth\{name="pods"\} 0$/m);
    expect(text).toMatch(/^svk_node_lease_age_seconds [\d.]+$/m);
    expect(text).toMatch(/^rest_client_requests_total\{code="201",method="POST"\} \d+$/m);
    expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200);
  });
  expect(code).toBe(0);
  await expect(fetch(`http://127.0.0.1:${port}/metrics`)).rejects.toThrow('fetch failed');
  const post = collector.spans.find(({ name }) => name === 'kubernetes.POST');
  expect(post?.resource).toMatchObject({
    'service.name': 'edge',
    region: 'eu',
    operatingSystem: 'linux',
    provider: 'mock',
    nodeName: 'virtual-kubelet',
  });
});

it('svk run sends no trace with --trace-sample-rate never', async () => {
  const before = collector.paths.length;
  const flags = ['--metrics-addr=0', '--trace-exporter=otlp', '--trace-sample-rate=never'];
  expect(await during(flags, () => Promise.resolve())).toBe(0);
  expect(collector.paths).toHaveLength(before);
});
