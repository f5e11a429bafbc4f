import { afterEach, describe, expect, it } from 'vitest';
import { GatewayNode } from '../../../src/controllers/gateway/gateway-node.ts';
import { ConflictError, TransientError } from '../../../src/core/errors.ts';
import { RecordingLogger } from '../../support/recording-logger.ts';
import { ProcessWorld } from '../process/process-world.ts';
import { NodeWorld } from './node-world.ts';

const OWN = [
  { type: 'Hostname', address: 'kubelet.example.com' },
  { type: 'InternalDNS', address: 'kubelet.example.com' },
];
const GATEWAY = [{ type: 'InternalIP', address: '10.0.3.7' }];

interface Gateway {
  readonly logger: RecordingLogger;
  isServing: boolean;
  /** As a process that is told to end. */
  end(): Promise<void>;
  /** As one that is killed. */
  kill(): Promise<void>;
}

const running = new Set<Gateway>();
afterEach(async () => {
  for (const gateway of running) await gateway.kill();
  running.clear();
});

const start = (
  world: NodeWorld,
  { host = '10.0.3.7', holder = 'a', deployment = 'dev' }: { host?: string; holder?: string; deployment?: string } = {},
): Gateway => {
  const ending = new AbortController();
  const logger = new RecordingLogger();
  const { clock, kubernetes } = world;
  const node = new GatewayNode({
    node: 'fargate',
    deployment: { name: deployment },
    endpoint: { host, port: 10_251, webSockets: true },
    holder,
    isServing: () => gateway.isServing,
    nodes: kubernetes.nodes,
    clock,
    logger,
  });
  const run = node.run(ending.signal);
  const kill = async (): Promise<void> => {
    ending.abort();
    await run;
  };
  const gateway: Gateway = {
    logger,
    isServing: true,
    kill,
    end: async () => {
      await kill();
      await node.withdraw(new AbortController().signal);
    },
  };
  running.add(gateway);
  return gateway;
};

const addresses = ({ kubernetes }: NodeWorld) => kubernetes.findNode('fargate')?.status?.addresses;
const port = ({ kubernetes }: NodeWorld) =>
  kubernetes.findNode('fargate')?.status?.daemonEndpoints?.kubeletEndpoint?.Port;
const features = ({ kubernetes }: NodeWorld) => kubernetes.findNode('fargate')?.status?.declaredFeatures;
const standings = ({ logger }: Gateway) => logger.lines.map(({ fields }) => fields?.['standing']).filter(Boolean);

describe('a stream gateway', () => {
  it('gives the node its address within ten seconds, and the heartbeat leaves it', async () => {
    const world = new NodeWorld();
    await world.run(61);
    expect(addresses(world)).toEqual(OWN);
    start(world);
    await world.run(10);
    expect(addresses(world)).toEqual(GATEWAY);
    expect(port(world)).toBe(10_251);
    for (let minute = 0; minute < 5; minute += 1) {
      await world.run(60);
      expect([addresses(world), port(world)]).toEqual([GATEWAY, 10_251]);
    }
    expect(world.condition('Ready')).toBe('True');
    // The heartbeat's own endpoint takes none.
    expect(features(world)).toEqual(['ExtendWebSocketsToKubelet']);
    expect(world.failures).toEqual([]);
  });

  it('that ends gives the node back its own address with the next heartbeat', async () => {
    const world = new NodeWorld();
    await world.run(61);
    const gateway = start(world);
    await world.run(10);
    await gateway.end();
    expect(world.kubernetes.findNode('fargate')?.metadata?.annotations?.['svk.dev/kubelet-endpoint']).toBeUndefined();
    await world.run(60);
    expect([addresses(world), port(world)]).toEqual([OWN, 443]);
    expect(features(world)).toBeUndefined();
  });

  it('that is killed gives it back within two minutes', async () => {
    const world = new NodeWorld();
    await world.run(61);
    const gateway = start(world);
    await world.run(70);
    await gateway.kill();
    await world.run(121);
    expect([addresses(world), port(world)]).toEqual([OWN, 443]);
  });

  it('waits for its certificate, the node’s own address serving on', async () => {
    const world = new NodeWorld();
    await world.run(61);
    const gateway = start(world);
    gateway.isServing = false;
    await world.run(60);
    expect(addresses(world)).toEqual(OWN);
    gateway.isServing = true;
    await world.run(10);
    expect(addresses(world)).toEqual(GATEWAY);
    expect(standings(gateway)).toEqual(['no certificate', 'announced']);
  });

  it('finds a node that is registered later, and one that is registered anew', async () => {
    const world = new NodeWorld();
    const gateway = start(world);
    await world.clock.advance(30_000);
    await world.run(11);
    expect(addresses(world)).toEqual(GATEWAY);
    world.kubernetes.deleteNode('fargate');
    await world.run(75);
    expect(addresses(world)).toEqual(GATEWAY);
    expect(standings(gateway)[0]).toBe('not registered');
  });

  it('leaves a node alone that another one serves, and takes over when that has gone', async () => {
    const world = new NodeWorld();
    await world.run(61);
    const first = start(world);
    await world.run(10);
    const second = start(world, { host: '10.0.3.8', holder: 'b' });
    await world.run(120);
    expect(addresses(world)).toEqual(GATEWAY);
    expect(standings(second)).toEqual(['served by another']);
    await first.kill();
    await world.run(71);
    expect(addresses(world)).toEqual([{ type: 'InternalIP', address: '10.0.3.8' }]);
    await first.end();
    await world.run(60);
    expect(addresses(world)).toEqual([{ type: 'InternalIP', address: '10.0.3.8' }]);
  });

  it('takes no node of another deployment', async () => {
    const world = new NodeWorld();
    await world.run(61);
    const gateway = start(world, { deployment: 'prod' });
    await world.run(30);
    expect(addresses(world)).toEqual(OWN);
    expect(gateway.logger.lines.filter(({ level }) => level === 'error')).toHaveLength(1);
  });

  it('is not put off by conflicts and silence', async () => {
    const world = new NodeWorld();
    await world.run(61);
    const gateway = start(world);
    world.kubernetes.failNext('nodes.patch', new ConflictError('the node has moved on'));
    await world.run(10);
    world.kubernetes.failNext('nodes.patchStatus', new TransientError('no answer'));
    await world.run(30);
    expect(addresses(world)).toEqual(GATEWAY);
    expect(gateway.logger.lines.filter(({ level }) => level === 'warn').length).toBeLessThanOrEqual(1);
  });

  it('writes the node twice a minute at most', async () => {
    const world = new NodeWorld();
    await world.run(61);
    start(world);
    await world.run(10);
    world.kubernetes.clearCalls();
    await world.run(600);
    expect(world.kubernetes.count('nodes.patch')).toBeLessThanOrEqual(20);
    // The heartbeat's own, one a minute.
    expect(world.kubernetes.count('nodes.patchStatus')).toBeLessThanOrEqual(10);
  });

  it('keeps its address under a process that writes what it read a minute ago', async () => {
    const world = new ProcessWorld();
    await world.start();
    const ending = new AbortController();
    const { clock, kubernetes } = world;
    const node = new GatewayNode({
      node: 'fargate',
      deployment: { name: 'svk' },
      endpoint: { host: '10.0.3.7', port: 10_251, webSockets: false },
      holder: 'a',
      isServing: () => true,
      nodes: kubernetes.nodes,
      clock,
      logger: new RecordingLogger(),
    });
    const run = node.run(ending.signal);
    for (let second = 0; second < 300; second += 1) {
      await world.pass(1_000);
      expect(kubernetes.findNode('fargate')?.status?.addresses).toEqual(GATEWAY);
    }
    ending.abort();
    await run;
    await world.pass(180_000);
    expect(kubernetes.findNode('fargate')?.status?.addresses).toEqual([{ type: 'InternalIP', address: '192.0.2.7' }]);
    await world.stop();
  });

  it.each(['', '{', '{"host":"x"}', '{"host":"x","port":0,"holder":"a","until":"2031-01-01T00:00:00Z"}'])(
    'an annotation that nobody can read changes nothing: %s',
    async (text) => {
      const world = new NodeWorld();
      await world.run(61);
      world.kubernetes.updateNode('fargate', (node) => ({
        ...node,
        metadata: {
          ...node.metadata,
          annotations: { ...node.metadata?.annotations, 'svk.dev/kubelet-endpoint': text },
        },
      }));
      await world.run(61);
      expect(addresses(world)).toEqual(OWN);
      start(world);
      await world.run(10);
      expect(addresses(world)).toEqual(GATEWAY);
    },
  );
});
