import type { ResolvedContainer, ResolvedVariable } from '../../../../src/model/environment.ts';
import type { Container, Pod, PodSpec } from '../../../../src/model/kubernetes.ts';
import type { Preparation } from '../../../../src/ports/provider.ts';
import type { FargateDeployment } from '../../../../src/providers/fargate/deployment.ts';
import { preparePod } from '../../../../src/providers/fargate/prepare/prepare-pod.ts';
import type { FargatePrepared } from '../../../../src/providers/fargate/prepare/prepared.ts';
import { aDeployment } from '../../../golden/a-deployment.ts';

/** What differs from a pod with the one container `main` and nothing else. */
export interface Change {
  readonly container?: Partial<Container>;
  readonly spec?: Partial<PodSpec>;
  readonly metadata?: Partial<NonNullable<Pod['metadata']>>;
  readonly environment?: ResolvedContainer;
  readonly node?: string;
  readonly deployment?: Partial<FargateDeployment>;
}

/** The pod of a change. */
export const podOf = ({ container, spec, metadata }: Change): Pod => ({
  metadata: { name: 'web', namespace: 'shop', uid: 'uid-1', ...metadata },
  spec: { containers: [{ name: 'main', image: 'app:1', ...container }], ...spec },
});

/** What it becomes on node `fargate`. */
export const prepare = (change: Change = {}): Preparation<FargatePrepared> =>
  preparePod(
    podOf(change),
    { node: change.node ?? 'fargate', environment: { main: change.environment ?? { env: [] } } },
    aDeployment(change.deployment),
  );

/** The same of a pod that must not be refused. */
export const prepared = (change: Change = {}): FargatePrepared => {
  const preparation = prepare(change);
  if (!preparation.ok) throw new Error(JSON.stringify(preparation.problems));
  return preparation.prepared;
};

/** The definition of its container. */
export const definitionOf = (change: Change): Record<string, unknown> => ({
  ...prepared(change).definition.containerDefinitions?.[0],
});

/** Field and message of every problem. */
export const problemsOf = (change: Change): readonly (readonly [string, string])[] => {
  const preparation = prepare(change);
  return preparation.ok ? [] : preparation.problems.map(({ field, message }) => [field, message]);
};

/** Fields of its notes; `refused` where there are none to be had. */
export const notesOf = (change: Change): readonly string[] => {
  const preparation = prepare(change);
  return preparation.ok ? preparation.notes.map(({ field }) => field) : ['refused'];
};

/** A resolved variable; a secret one comes from Secret `keys`. */
export const variable = (
  name: string,
  value: string,
  origin: ResolvedVariable['origin'] = 'template',
): ResolvedVariable => ({
  name,
  value,
  origin,
  ...(origin === 'secret' && { secret: { name: 'keys', key: name.toLowerCase() } }),
});
