import { describe, expect, it } from 'vitest';
import { packagesLoadedBy } from '../../../support/loaded-packages.ts';

/** Everything `svk run` is made of, then its telemetry. */
const scriptOf = (options: { readonly isMeasured: boolean; readonly exporters: readonly string[] }): string => `
  await import('./src/cli/run/run-node.ts');
  const { openTelemetry } = await import('./src/app/process/open-telemetry.ts');
  const node = { operatingSystem: 'linux', provider: 'mock', nodeName: 'n' };
  const trace = { exporters: ${JSON.stringify(options.exporters)}, serviceName: 's', tags: {} };
  const clock = { now: () => 0 };
  const telemetry = await openTelemetry(
    { isMeasured: ${options.isMeasured}, trace, node },
    { clock, logger: console, environment: {} },
  );
  await telemetry.close();`;

const telemetryOf = async (options: Parameters<typeof scriptOf>[0]): Promise<readonly string[]> =>
  (await packagesLoadedBy(scriptOf(options))).filter((name) => /^@opentelemetry\/|^prom-client$/.test(name));

describe('telemetry that nobody asks for', () => {
  it('is not loaded', async () => {
    expect(await telemetryOf({ isMeasured: false, exporters: [] })).toEqual([]);
  }, 30_000);

  it('is not loaded for traces where only figures are wanted', async () => {
    const names = await telemetryOf({ isMeasured: true, exporters: [] });
    expect(names).toContain('prom-client');
    expect(names).not.toContain('@opentelemetry/sdk-trace');
  }, 30_000);

  it('is loaded where an exporter is named', async () => {
    const names = await telemetryOf({ isMeasured: false, exporters: ['otlp'] });
    expect(names).toContain('@opentelemetry/sdk-trace');
    expect(names).not.toContain('prom-client');
  }, 30_000);
});
