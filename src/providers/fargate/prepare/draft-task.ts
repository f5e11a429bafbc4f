import type { RegisterTaskDefinitionCommandInput, TaskOverride } from '@aws-sdk/client-ecs';
import type { ResolvedContainer } from '../../../model/environment.ts';
import type { Pod, PodSpec } from '../../../model/kubernetes.ts';
import type { PodSources } from '../../../ports/provider.ts';
import type { FargateDeployment } from '../deployment.ts';
import { containerDefinition } from './container-definition.ts';
import { type Delivery, deliveryOf } from './delivery.ts';
import type { Findings } from './findings.ts';
import { registryCredentials } from './registry-credentials.ts';
import type { SharedSecret } from './shared-secret.ts';
import { checkDefinitionSize, checkOverrideSize, definitionBytes, MAX_DEFINITION_BYTES } from './size-limits.ts';
import { type TaskFrame, taskDefinition } from './task-definition.ts';

export interface TaskDraft {
  readonly definition: RegisterTaskDefinitionCommandInput;
  readonly definitionHash: string;
  readonly parameters: readonly SharedSecret[];
  /** Logins for the registries of its images. */
  readonly logins: readonly SharedSecret[];
  readonly overrides: TaskOverride | undefined;
}

/**
 * The definition and what a launch overrides. Where the definition would be too large, service variables other than
 * those of the API server go first, with a note; what is too large even then is refused.
 */
export const draftTask = (
  pod: Pod,
  spec: PodSpec,
  sources: PodSources,
  frame: TaskFrame,
  deployment: FargateDeployment,
  findings: Findings,
): TaskDraft => {
  const scope = { deployment: deployment.deployment, namespace: pod.metadata?.namespace ?? 'default' };
  const logins = new Map(
    Object.entries(sources.logins ?? {}).map(([name, login]) => [name, registryCredentials(login, scope)]),
  );
  const deliver = (
    keep: (container: ResolvedContainer) => ResolvedContainer,
    found: Findings | undefined,
  ): Delivery[] =>
    spec.containers.map(({ name }, index) =>
      deliveryOf(keep(sources.environment[name] ?? { env: [] }), `spec.containers[${index}]`, scope, found),
    );
  const define = (deliveries: readonly Delivery[]): ReturnType<typeof taskDefinition> =>
    taskDefinition(spec, render(spec, deliveries, logins, deployment), frame, deployment);

  let deliveries = deliver((container) => container, findings);
  let defined = define(deliveries);
  const links = Object.values(sources.environment).flatMap(({ env }) => env.filter(({ serviceLink }) => serviceLink));
  if (definitionBytes(defined.definition) > MAX_DEFINITION_BYTES && links.length > 0) {
    deliveries = deliver(withoutServiceLinks, undefined);
    defined = define(deliveries);
    findings.note(
      'spec.enableServiceLinks',
      `${links.length} service variables were left out, because the environment would be too large: set it to false`,
    );
  }
  checkDefinitionSize(defined.definition, findings);
  const overrides = overridesOf(spec, deliveries);
  if (overrides) checkOverrideSize(overrides, findings);
  const parameters = deliveries.flatMap(({ secrets }) => secrets.map(toParameter));
  return { ...defined, overrides, parameters, logins: [...logins.values()] };
};

const render = (
  spec: PodSpec,
  deliveries: readonly Delivery[],
  logins: ReadonlyMap<string, SharedSecret>,
  deployment: FargateDeployment,
): ReturnType<typeof containerDefinition>[] =>
  spec.containers.flatMap((container, index) => {
    const delivery = deliveries[index];
    const login = logins.get(container.name)?.path;
    return delivery ? [containerDefinition(container, spec, { ...delivery, login }, deployment)] : [];
  });

const overridesOf = (spec: PodSpec, deliveries: readonly Delivery[]): TaskOverride | undefined => {
  const containerOverrides = deliveries.flatMap(({ override: { environment, command } }, index) =>
    environment.length === 0 && !command
      ? []
      : [
          {
            name: spec.containers[index]?.name,
            ...(command && { command: [...command] }),
            ...(environment.length > 0 && { environment: [...environment] }),
          },
        ],
  );
  return containerOverrides.length > 0 ? { containerOverrides } : undefined;
};

const withoutServiceLinks = (container: ResolvedContainer): ResolvedContainer => ({
  ...container,
  env: container.env.filter(({ serviceLink }) => !serviceLink),
});

const toParameter = ({ path, value }: SharedSecret): SharedSecret => ({ path, value });
