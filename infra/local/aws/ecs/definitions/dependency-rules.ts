import type { ContainerInput, Problems } from './schema.ts';

/** The rules of `dependsOn`: known names and conditions, no circle, no waiting for the end of an essential container. */
export function* dependencyProblems(containers: readonly ContainerInput[]): Problems {
  const byName = new Map(containers.map((container) => [container.name, container]));
  for (const { name, dependsOn } of containers) {
    for (const { containerName, condition = '' } of dependsOn ?? []) {
      const target = byName.get(containerName);
      if (containerName === name) yield `Container '${name}' cannot depend on itself.`;
      if (!target) yield `Cannot depend on container + '${containerName}' because it does not exist`;
      if (!['START', 'COMPLETE', 'SUCCESS', 'HEALTHY'].includes(condition)) {
        yield `Invalid dependency condition '${condition}' of container '${name}'.`;
      }
      if ((condition === 'SUCCESS' || condition === 'COMPLETE') && target?.essential !== false) {
        yield 'A dependency container with SUCCESS or COMPLETE condition cannot be an essential container';
      }
      if (condition === 'HEALTHY' && !target?.healthCheck) {
        yield `A dependency container with HEALTHY condition must have a health check: '${containerName}' has none`;
      }
    }
  }
  if (hasCircle(containers)) yield 'Container dependencies contain a cycle.';
}

const hasCircle = (containers: readonly ContainerInput[]): boolean => {
  let open = containers.map(({ name, dependsOn }) => ({ name, needs: (dependsOn ?? []).map((d) => d.containerName) }));
  for (;;) {
    const waiting = new Set(open.map(({ name }) => name));
    const rest = open.filter(({ needs }) => needs.some((need) => waiting.has(need)));
    if (rest.length === open.length) return open.length > 0;
    open = rest;
  }
};
