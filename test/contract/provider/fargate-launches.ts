import { ListTaskDefinitionsCommand } from '@aws-sdk/client-ecs';
import type { ResolvedContainer } from '../../../src/model/environment.ts';
import type { Container, Pod } from '../../../src/model/kubernetes.ts';
import type { LaunchRequest, LaunchResult } from '../../../src/model/launch.ts';
import type { Workload } from '../../../src/model/workload.ts';
import type { FargateWorld } from './fargate-world.ts';

const { signal } = new AbortController();

/** The UID of the pod of that number. */
export const uidOf = (number: number): string => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;

/** The pod `web` of the namespace `shop`, with one container `main`. */
export const podOf = (uid: string, container: Partial<Container> = {}): Pod => ({
  metadata: { uid, name: 'web', namespace: 'shop', labels: { app: 'web' } },
  spec: { containers: [{ name: 'main', image: 'app:1', ...container }] },
});

/** The request of a launch of it. @throws {Error} with the problems where the pod is refused. */
export const request = async (
  { provider }: FargateWorld,
  pod: Pod,
  environment: ResolvedContainer = { env: [] },
  tryNumber = 1,
): Promise<LaunchRequest> => {
  const preparation = provider.prepare(pod, { node: 'fargate', environment: { main: environment } });
  if (!preparation.ok) throw new Error(JSON.stringify(preparation.problems));
  const token = { podUid: pod.metadata?.uid ?? '', attempt: 1, try: tryNumber };
  return provider.provision(preparation.prepared, token, signal);
};

/** @throws {Error} where the launch was refused. */
export const started = (result: LaunchResult): Workload => {
  if (result.kind !== 'started') throw new Error(`${result.kind}: ${result.message}`);
  return result.workload;
};

/** Prepares and launches it. */
export const start = async (fargate: FargateWorld, pod: Pod, environment?: ResolvedContainer): Promise<Workload> =>
  started(await fargate.provider.launch(await request(fargate, pod, environment), signal));

/** The workload as it is described now. @throws {Error} where it is missing. */
export const current = async ({ provider }: FargateWorld, id: string): Promise<Workload> => {
  const { workloads } = await provider.describe([id], signal);
  const [workload] = workloads;
  if (!workload) throw new Error(`${id} is missing`);
  return workload;
};

/** The environment by which a container does what `script` says. */
export const simulate = (script: string): ResolvedContainer => ({
  env: [{ name: 'SVK_SIMULATE', value: script, origin: 'template' }],
});

/** The ARNs of the task definitions that are active. */
export const definitionsIn = async ({ world }: FargateWorld): Promise<readonly string[]> =>
  (await world.ecs.send(new ListTaskDefinitionsCommand({}))).taskDefinitionArns ?? [];
