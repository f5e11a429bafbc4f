import { BeatScheduler } from '../../../src/controllers/node/beat-scheduler.ts';
import { Heartbeat } from '../../../src/controllers/node/heartbeat.ts';
import { LeaseController } from '../../../src/controllers/node/lease-controller.ts';
import { NodeController } from '../../../src/controllers/node/node-controller.ts';
import type { Deployment, NodeDefinition } from '../../../src/controllers/node/node-definition.ts';
import { ReachabilityMonitor } from '../../../src/controllers/node/reachability-monitor.ts';
import { PermanentError, TransientError } from '../../../src/core/errors.ts';
import type { LogFields, Logger } from '../../../src/ports/logger.ts';
import { FakeClock } from '../../fakes/clock.ts';
import { FakeKubernetes } from '../../fakes/kubernetes/fake-kubernetes.ts';
import { FakeWorkQueue } from '../../fakes/queue/fake-work-queue.ts';
import { FakeNodeStore } from '../../fakes/stores/fake-node-store.ts';

export const FARGATE: NodeDefinition = {
  name: 'fargate',
  architecture: 'amd64',
  capacity: { cpu: '64', memory: '256Gi', pods: 100 },
  endpoint: { host: 'kubelet.example.com', port: 443 },
};

interface RunOptions {
  /** Whether the schedule fires at this minute of the run. */
  readonly schedule?: (minute: number) => boolean;
  /** Queues that deliver nothing. */
  readonly stuck?: readonly ('beats' | 'pods')[];
}

/** A deployment and its control plane, second by second. */
export class NodeWorld {
  readonly clock = new FakeClock('2030-01-01T00:00:00Z');
  readonly kubernetes = new FakeKubernetes({ clock: this.clock });
  readonly store = new FakeNodeStore();
  readonly beatsQueue = new FakeWorkQueue(this.clock);
  readonly podQueue = new FakeWorkQueue(this.clock);
  readonly logs: { readonly level: string; readonly message: string; readonly fields: LogFields }[] = [];
  readonly failures: unknown[] = [];
  readonly signal = new AbortController().signal;
  /** Set to have the provider not answer. */
  providerDown = false;
  timersStarted = 0;
  /** Highest age of each node's lease seen, in seconds. */
  readonly oldestLease = new Map<string, number>();
  readonly #nodes: readonly NodeDefinition[];
  readonly #deployment: Deployment;
  readonly #pending = new Set<Promise<void>>();

  constructor(nodes: readonly NodeDefinition[] = [FARGATE], deployment = 'dev') {
    this.#nodes = nodes;
    this.#deployment = { name: deployment, provider: 'fargate', version: '0.1.0' };
  }

  /** A heartbeat with no memory, as a new function instance has none. */
  instance(): Heartbeat {
    const { clock, store, kubernetes } = this;
    const logger = this.#logger();
    const deployment = this.#deployment;
    const provider = { ping: () => this.#ping() };
    const monitor = new ReachabilityMonitor({ provider, store, clock, logger });
    const controller = new NodeController({ kubernetes, store, monitor, clock, logger, deployment });
    const leases = new LeaseController({ leases: kubernetes.leases, nodes: controller, clock, logger, deployment });
    const beats = new BeatScheduler({
      store,
      beatsQueue: this.beatsQueue,
      podQueue: this.podQueue,
      clock,
      logger,
    });
    const onBeat = async (): Promise<void> => {
      this.timersStarted += 1;
    };
    return new Heartbeat({ nodes: this.#nodes, controller, leases, beats, onBeat, clock, logger });
  }

  /** Lets `seconds` pass. The schedule fires at each full minute; queues deliver what is due, to a new instance each time. */
  async run(seconds: number, { schedule = () => true, stuck = [] }: RunOptions = {}): Promise<void> {
    const delivering = [
      ...(stuck.includes('beats') ? [] : [this.beatsQueue]),
      ...(stuck.includes('pods') ? [] : [this.podQueue]),
    ];
    for (let second = 0; second < seconds; second += 1) {
      if (second % 60 === 0 && schedule(second / 60)) this.#start(this.instance().scheduled(this.signal));
      for (const message of delivering.flatMap((queue) => queue.receive(100)))
        if (message.kind === 'beat') this.#start(this.instance().beat(message, this.signal));
      await this.clock.advance(1_000);
      this.#look();
    }
    await this.#settled();
  }

  /** One scheduled run, to its end; failures are kept. */
  async scheduled(heartbeat = this.instance()): Promise<void> {
    this.#start(heartbeat.scheduled(this.signal));
    await this.#settled();
  }

  condition(type: string, node = 'fargate'): string | undefined {
    return this.kubernetes.findNode(node)?.status?.conditions?.find((one) => one.type === type)?.status;
  }

  /** `renewTime` of every renewal, second of the run only. */
  renewals(node = 'fargate'): string[] {
    return this.kubernetes.calls
      .filter(({ method, args }) => method === 'leases.renew' && args[0] === node)
      .map(({ args }) => (args[1] as { renewTime: string }).renewTime.slice(14, 19));
  }

  /** Messages of everything that failed in scheduled runs. */
  errors(): string[] {
    return this.failures.flatMap((failure) => {
      const all = failure instanceof PermanentError ? failure.cause : failure;
      return all instanceof AggregateError ? all.errors.map(({ message }: Error) => message) : [String(all)];
    });
  }

  #start(work: Promise<void>): void {
    const tracked = work
      .catch((error: unknown) => void this.failures.push(error))
      .finally(() => this.#pending.delete(tracked));
    this.#pending.add(tracked);
  }

  async #settled(): Promise<void> {
    for (let second = 0; this.#pending.size > 0 && second < 120; second += 1) await this.clock.advance(1_000);
    if (this.#pending.size > 0) throw new Error('a heartbeat has not ended after two minutes');
  }

  #look(): void {
    for (const { name } of this.#nodes) {
      const renewTime = this.kubernetes.findLease(name)?.spec?.renewTime;
      const age = renewTime === undefined ? Number.NaN : (this.clock.now() - Date.parse(renewTime)) / 1_000;
      if (age > (this.oldestLease.get(name) ?? 0)) this.oldestLease.set(name, age);
    }
  }

  async #ping(): Promise<void> {
    if (this.providerDown) throw new TransientError('ECS is unavailable');
  }

  #logger(): Logger {
    const at =
      (level: string) =>
      (message: string, fields: LogFields = {}): void =>
        void this.logs.push({ level, message, fields });
    return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
  }
}
