import { createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { parseArguments } from '../../../../infra/local/cloud/arguments.ts';
import { DEFAULT_PORTS, freePorts, portInUse } from '../../../../infra/local/cloud/ports.ts';

describe('npm start', () => {
  it('runs whatever there is in .local by default', () => {
    expect(parseArguments([])).toEqual({ kind: 'start', directory: '.local', anyPorts: false });
  });

  it('takes a kubeconfig and a runtime', () => {
    expect(parseArguments(['--runtime', 'simulated', '--kubeconfig', 'c', '--any-ports'])).toEqual({
      kind: 'start',
      runtime: 'simulated',
      kubeconfig: 'c',
      directory: '.local',
      anyPorts: true,
    });
  });

  it.each([
    { argv: ['--runtime', 'vm'], fault: '--runtime: "vm" is none of docker, process, simulated.' },
    { argv: ['--nothing'], fault: "Unknown option '--nothing'" },
  ])('names the fault in $argv', ({ argv, fault }) => {
    const parsed = parseArguments(argv);
    expect(parsed.kind === 'fault' ? parsed.message : '').toContain(fault);
  });
});

describe('ports', () => {
  it('finds as many free ports as it needs', async () => {
    const ports = await freePorts();
    expect(new Set(Object.values(ports)).size).toBe(Object.keys(DEFAULT_PORTS).length);
    expect(await portInUse(ports)).toBeUndefined();
  });

  it('names the port that is taken', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    const ports = { ...(await freePorts()), lambda: port };

    expect(await portInUse(ports)).toEqual({ name: 'lambda', port });

    await new Promise((resolve) => server.close(resolve));
  });
});
