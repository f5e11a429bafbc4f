import { afterEach, describe, expect, it } from 'vitest';
import { openTelemetry } from '../../../src/app/process/open-telemetry.ts';
import type { Telemetry, TraceOptions } from '../../../src/ports/metrics.ts';
import { type OtlpCollector, startOtlpCollector } from '../../support/otlp-collector.ts';
import { RecordingLogger } from '../../support/recording-logger.ts';
import { NODE, ProcessWorld } from './process-world.ts';

const OFF: TraceOptions = { exporters: [], serviceName: 'virtual-kubelet', tags: {} };
const OTLP: TraceOptions = { ...OFF, exporters: ['otlp'], tags: { region: 'eu' } };

const closing: (() => Promise<void>)[] = [];

const open = (world: ProcessWorld, trace: TraceOptions, collector?: OtlpCollector): Promise<Telemetry> =>
  openTelemetry(
    { isMeasured: true, trace, node: { operatingSystem: 'linux', provider: 'instant', nodeName: NODE } },
    {
      clock: world.clock,
      logger: new RecordingLogger(),
      environment: collector ? { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url } : {},
    },
  );

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

describe('a node whose figures somebody scrapes', () => {
  it('tells of its queue, its syncs, its provider and its lease', async () => {
    const world = new ProcessWorld();
    const telemetry = await open(world, OFF);
    const server = await telemetry.serve({ host: '127.0.0.1', port: 0 }, () => world.isReady);
    closing.push(() => server.close());
    const url = `http://127.0.0.1:${server.port}`;
    expect((await fetch(`${url}/readyz`)).status).toBe(503);
    await world.start({ metrics: telemetry.metrics });
    expect((await fetch(`${url}/readyz`)).status).toBe(200);

    await world.addPod({ name: 'web' });
    expect(world.phase()).toBe('Running');
    await world.pass(4_000);
    const lines = (await (await fetch(`${url}/metrics`)).text()).split('\n');
    const valueOf = (sample: string): number =>
      Number(lines.find((line) => line.startsWith(`${sample} `))?.slice(sample.length + 1));

    expect(valueOf('workqueue_depth{name="pods"}')).toBe(0);
    expect(valueOf('workqueue_in_progress{name="pods"}')).toBe(0);
    expect(valueOf('workqueue_queue_duration_seconds_count{name="pods"}')).toBeGreaterThan(0);
    expect(valueOf('svk_pod_sync_duration_seconds_count{result="success"}')).toBeGreaterThan(0);
    expect(valueOf('svk_provider_call_duration_seconds_count{method="launch",result="success"}')).toBe(1);
    expect(valueOf('svk_node_lease_age_seconds')).toBe(4);
    await world.stop();
  });
});

describe('a node whose traces somebody takes', () => {
  it('shows the way from the wake of a pod to the call of the provider', async () => {
    const collector = await startOtlpCollector();
    closing.push(() => collector.close());
    const world = new ProcessWorld();
    const telemetry = await open(world, OTLP, collector);
    await world.start({ tracer: telemetry.tracer });
    const pod = await world.addPod({ name: 'web' });
    await world.stop();
    await telemetry.close();

    const byId = new Map(collector.spans.map((span) => [span.spanId, span]));
    const launch = collector.spans.find(({ name }) => name === 'provider.launch');
    const reconcile = byId.get(launch?.parentSpanId ?? '');
    const wake = byId.get(reconcile?.parentSpanId ?? '');
    expect(launch).toMatchObject({ kind: 3, traceId: wake?.traceId });
    expect(reconcile?.name).toBe('pod.reconcile');
    expect(wake).toMatchObject({
      name: 'pod.wake',
      parentSpanId: undefined,
      attributes: {
        'k8s.pod.uid': pod.metadata?.uid,
        'k8s.namespace.name': 'default',
        'k8s.pod.name': 'web',
        'svk.wake.reason': 'watch',
      },
      resource: {
        'service.name': 'virtual-kubelet',
        region: 'eu',
        operatingSystem: 'linux',
        provider: 'instant',
        nodeName: NODE,
      },
    });
  });

  it('has no tracer at all without an exporter', async () => {
    expect(await open(new ProcessWorld(), OFF)).not.toHaveProperty('tracer');
  });
});
