import { describe, expect, it } from 'vitest';
import { NotFoundError } from '../../../src/core/errors.ts';
import type { ResolvedEnvironment } from '../../../src/model/environment.ts';
import type { Pod } from '../../../src/model/kubernetes.ts';
import type { LaunchRequest, LaunchResult } from '../../../src/model/launch.ts';
import type { Workload } from '../../../src/model/workload.ts';
import { gather, idsOf, type ProviderTraits, type ProviderWorld, text } from './provider-world.ts';

const { signal } = new AbortController();
const UID = '00000000-0000-4000-8000-000000000001';
const OTHER = '00000000-0000-4000-8000-000000000002';

/** What every provider promises the controllers; `traits` say what there is nothing to promise about. */
export const describeProvider = (
  name: string,
  makeWorld: () => Promise<ProviderWorld>,
  traits: ProviderTraits = {},
): void => {
  describe(`provider: ${name}`, () => {
    const request = async (world: ProviderWorld, pod: Pod, attempt = 1, tryNumber = 1): Promise<LaunchRequest> => {
      const preparation = world.provider.prepare(pod, { node: 'fargate', environment: environmentOf(pod) });
      if (!preparation.ok) throw new Error(JSON.stringify(preparation.problems));
      const token = { podUid: pod.metadata?.uid ?? '', attempt, try: tryNumber };
      return world.provider.provision(preparation.prepared, token, signal);
    };
    const started = (result: LaunchResult): Workload => {
      if (result.kind !== 'started') throw new Error(`${result.kind}: ${result.message}`);
      return result.workload;
    };
    const start = async (world: ProviderWorld, pod: Pod, attempt = 1, tryNumber = 1): Promise<Workload> =>
      started(await world.provider.launch(await request(world, pod, attempt, tryNumber), signal));
    const current = async (world: ProviderWorld, id: string): Promise<Workload> => {
      const { workloads } = await world.provider.describe([id], signal);
      const [workload] = workloads;
      if (!workload) throw new Error(`${id} is missing`);
      return workload;
    };
    /** Lets the workload of a Job-like pod come to its end, by a stop where it has none of its own. */
    const reachEnd = async (world: ProviderWorld, id: string): Promise<void> => {
      await world.reachRunning(id);
      if (traits.runsForEver) await world.provider.stop(id, { graceSeconds: 2, reason: 'pod deleted' }, signal);
      await world.reachEnd(id);
    };
    const logsOf = (id: string) => ({ workloadId: id, container: 'main', follow: false, timestamps: false });

    describe('launch', () => {
      it('starts a workload that knows its pod, attempt and try', async () => {
        const world = await makeWorld();
        const workload = await start(world, world.pod(UID), 3, 2);
        expect(workload).toMatchObject({ podUid: UID, attempt: 3, try: 2, stopping: false });
        expect(workload.phase).toBe(traits.runsAtOnce ? 'running' : 'starting');
        expect(workload.containers.map((container) => container.name)).toEqual(['main']);
      });

      it('is rendered to equal bytes for equal pods and tokens', async () => {
        const world = await makeWorld();
        expect(await request(world, world.pod(UID))).toEqual(await request(world, world.pod(UID)));
        expect(await request(world, world.pod(UID), 2)).not.toEqual(await request(world, world.pod(UID), 1));
      });

      it('starts one workload however often its request is sent', async () => {
        const world = await makeWorld();
        const once = await request(world, world.pod(UID));
        const first = started(await world.provider.launch(once, signal));
        await world.reachRunning(first.id);
        const second = started(await world.provider.launch(once, signal));
        expect(second.id).toBe(first.id);
        expect(idsOf(await world.provider.find(UID, signal))).toEqual([first.id]);
      });

      it('starts another workload under another token', async () => {
        const world = await makeWorld();
        const first = await start(world, world.pod(UID), 1);
        const second = await start(world, world.pod(UID), 2);
        const third = await start(world, world.pod(UID), 2, 2);
        expect(new Set([first.id, second.id, third.id]).size).toBe(3);
      });

      unless(traits.alwaysAnswers).each(['before', 'after'] as const)(
        'is unknown where nobody answers, lost %s the start; repeating settles it',
        async (when) => {
          const world = await makeWorld();
          const once = await request(world, world.pod(UID));
          world.loseLaunch?.(when);
          expect((await world.provider.launch(once, signal)).kind).toBe('unknown');
          expect(await world.provider.find(UID, signal)).toHaveLength(when === 'after' ? 1 : 0);
          const workload = started(await world.provider.launch(once, signal));
          expect(idsOf(await world.provider.find(UID, signal))).toEqual([workload.id]);
        },
      );

      unless(traits.alwaysAnswers).each(['capacity', 'quota'] as const)(
        'refused for want of %s starts nothing and settles the token',
        async (cause) => {
          const world = await makeWorld();
          const once = await request(world, world.pod(UID));
          world.refuseLaunch?.(cause);
          expect(await world.provider.launch(once, signal)).toMatchObject({ kind: 'refused', cause, final: true });
          expect(await world.provider.find(UID, signal)).toEqual([]);
          expect(await start(world, world.pod(UID), 1, 2)).toMatchObject({ try: 2 });
        },
      );
    });

    describe('a workload', () => {
      it('runs with an address', async () => {
        const world = await makeWorld();
        const { id, version } = await start(world, world.pod(UID));
        await world.reachRunning(id);
        const workload = await current(world, id);
        expect(workload).toMatchObject({
          phase: 'running',
          stopping: false,
          containers: [{ name: 'main', state: 'running' }],
        });
        expect(workload).not.toHaveProperty('end');
        if (!traits.runsAtOnce) expect(workload.version).toBeGreaterThan(version);
        expect(workload.ips).toHaveLength(1);
        expect(workload.startedAt).toBeGreaterThanOrEqual(workload.createdAt ?? Number.NaN);
      });

      unless(traits.runsForEver).each([0, 3])('ends by itself with exit code %i', async (exitCode) => {
        const world = await makeWorld();
        const { id } = await start(world, world.pod(UID, exitCode));
        await world.reachRunning(id);
        await world.reachEnd(id);
        const workload = await current(world, id);
        expect(workload).toMatchObject({
          phase: 'stopped',
          end: { kind: 'exited' },
          containers: [{ name: 'main', state: 'terminated', exitCode }],
        });
        expect(workload.endedAt).toBeGreaterThanOrEqual(workload.startedAt ?? Number.NaN);
      });

      it('is stopped on request, however often', async () => {
        const world = await makeWorld();
        const { id } = await start(world, world.pod(UID));
        await world.reachRunning(id);
        const options = { graceSeconds: 2, reason: 'pod deleted' };
        await world.provider.stop(id, options, signal);
        expect((await current(world, id)).stopping).toBe(true);
        await world.provider.stop(id, options, signal);
        await world.reachStopped(id);
        await world.provider.stop(id, options, signal);
        expect(await current(world, id)).toMatchObject({
          phase: 'stopped',
          end: { kind: 'requested', message: 'pod deleted' },
          containers: [{ state: 'terminated', exitCode: traits.exitCodeOfStop ?? 143 }],
        });
      });

      it('that nobody knows is missing, and stopped already', async () => {
        const world = await makeWorld();
        const { id } = await start(world, world.pod(UID));
        const unknown = `${id.slice(0, -4)}ffff`;
        const described = await world.provider.describe([unknown, id], signal);
        expect([idsOf(described.workloads), described.missing]).toEqual([[id], [unknown]]);
        await world.provider.stop(unknown, { graceSeconds: 2, reason: 'gone' }, signal);
      });
    });

    describe('looking up', () => {
      it('finds all workloads of one pod, live and stopped', async () => {
        const world = await makeWorld();
        const first = await start(world, world.pod(UID, 1), 1);
        await start(world, world.pod(OTHER));
        await reachEnd(world, first.id);
        const second = await start(world, world.pod(UID, 1), 2);
        const found = await world.provider.find(UID, signal);
        expect(idsOf(found)).toEqual([first.id, second.id].sort());
        expect(found.every(({ podUid }) => podUid === UID)).toBe(true);
      });

      it('lists live workloads of all pods, stopped ones on request', async () => {
        const world = await makeWorld();
        const ended = await start(world, world.pod(UID, 0));
        await reachEnd(world, ended.id);
        const live = await start(world, world.pod(OTHER));
        expect(idsOf(await gather(world.provider.list({ stopped: false }, signal)))).toEqual([live.id]);
        expect(idsOf(await gather(world.provider.list({ stopped: true }, signal)))).toEqual([ended.id, live.id].sort());
      });

      it('describes nothing for nothing', async () => {
        const world = await makeWorld();
        expect(await world.provider.describe([], signal)).toEqual({ workloads: [], missing: [] });
      });
    });

    describe('notifications', () => {
      it('tell the same as describe does but for health, with growing versions', async () => {
        const world = await makeWorld();
        const watched: Workload[] = [];
        const end = world.provider.watch?.((workload) => watched.push(workload));
        await world.watching?.();
        const { id } = await start(world, world.pod(UID, 3));
        await reachEnd(world, id);
        const notified = (world.notifications?.() ?? []).flatMap((one) => world.provider.observationOf(one) ?? []);
        const observed = end ? watched : notified;
        const versions = observed.map(({ version }) => version);
        expect(versions).toEqual([...versions].sort((a, b) => a - b));
        expect(observed.some(({ phase }) => phase === 'running')).toBe(true);
        expect(observed.at(-1)).toEqual(withoutHealth(await current(world, id)));

        if (!end) return;
        end();
        const before = watched.length;
        await reachEnd(world, (await start(world, world.pod(OTHER, 3))).id);
        expect(watched).toHaveLength(before);
      });

      it.each([undefined, null, 'text', 7, {}, { source: 'aws.ecs', detail: {} }])(
        'are not read into %j',
        async (other) => {
          expect((await makeWorld()).provider.observationOf(other)).toBeUndefined();
        },
      );
    });

    describe('logs', () => {
      unless(traits.isSilent)('are read while it runs and after its end', async () => {
        const world = await makeWorld();
        const { id } = await start(world, world.pod(UID, 0));
        await world.reachRunning(id);
        await world.reachEnd(id);
        expect(await text(world.provider.logs(logsOf(id), signal))).toBe('hello\nbye\n');
        expect(await text(world.provider.logs({ ...logsOf(id), tailLines: 1 }, signal))).toBe('bye\n');
        expect(await text(world.provider.logs({ ...logsOf(id), tailLines: 0 }, signal))).toBe('');
      });

      unless(!traits.isSilent)('of silent containers end at once, followed or not', async () => {
        const world = await makeWorld();
        const { id } = await start(world, world.pod(UID));
        await world.reachRunning(id);
        expect(await text(world.provider.logs({ ...logsOf(id), follow: true, tailLines: 5 }, signal))).toBe('');
      });

      unless(traits.isSilent || traits.startsUnasked)('of a container that has not started are not found', async () => {
        const world = await makeWorld();
        const { id } = await start(world, world.pod(UID));
        await expect(text(world.provider.logs(logsOf(id), signal))).rejects.toThrow(NotFoundError);
      });
    });

    unless(!traits.hasFigures)('says what running containers use', async () => {
      const world = await makeWorld();
      const ended = await start(world, world.pod(OTHER, 3));
      await reachEnd(world, ended.id);
      const { id } = await start(world, world.pod(UID));
      await world.reachRunning(id);
      const [figures, ...others] = (await world.provider.stats?.(signal)) ?? [];
      expect(others).toEqual([]);
      expect(figures).toMatchObject({ workloadId: id, podUid: UID, containers: [{ name: 'main' }] });
      const [container] = figures?.containers ?? [];
      expect(container?.cpu?.usageCoreNanoSeconds).toBeGreaterThanOrEqual(0);
      expect(container?.memory?.workingSetBytes).toBeGreaterThan(0);
      expect(container?.at).toBeGreaterThanOrEqual(container?.startedAt ?? Number.NaN);
    });

    it('answers a ping and has nothing against being cleaned up', async () => {
      const { provider } = await makeWorld();
      await expect(provider.ping(signal)).resolves.toBeUndefined();
      await expect(provider.collect(signal)).resolves.toBeUndefined();
    });
  });
};

/** Declares no test at all where there is nothing to promise. */
const unless = (
  absent: boolean | undefined,
): Pick<typeof it, 'each'> & ((title: string, test: () => Promise<void>) => void) => (absent ? NO_TEST : it);

const NO_TEST = Object.assign(() => undefined, { each: () => () => undefined });

/** Health changes without an event. */
const withoutHealth = (workload: Workload): Workload => ({
  ...workload,
  containers: workload.containers.map(({ health: _health, ...container }) => container),
});

/** The literals of the pod's variables and command lines, as the controllers resolve them. */
const environmentOf = (pod: Pod): ResolvedEnvironment =>
  Object.fromEntries(
    (pod.spec?.containers ?? []).map(({ name, env = [], command, args }) => [
      name,
      {
        env: env.map((one) => ({ name: one.name, value: one.value ?? '', origin: 'template' as const })),
        ...(command && { command: command.map(literal) }),
        ...(args && { args: args.map(literal) }),
      },
    ]),
  );

const literal = (value: string) => ({ value, origin: 'template' as const });
