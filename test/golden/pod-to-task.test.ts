import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { resolveEnvironment } from '../../src/controllers/pod/environment/resolve-environment.ts';
import { runTaskRequest } from '../../src/providers/fargate/launch/run-task-request.ts';
import { allocatableOf, preparePod } from '../../src/providers/fargate/prepare/prepare-pod.ts';
import { aDeployment } from './a-deployment.ts';
import { corpusPod, corpusSources } from './corpus.ts';

const CASES: readonly string[] = ['01', '03', '05', '20', '51', '60', '84'];

const kubernetes = {
  metadata: { name: 'kubernetes', namespace: 'default' },
  spec: { clusterIP: '10.96.0.1', ports: [{ name: 'https', port: 443, protocol: 'TCP' }] },
};

/** Everything a manifest becomes: what is registered, what is put into parameters, what is sent, what is told. */
const outcomeOf = (number: string): unknown => {
  const pod = corpusPod(number);
  const allocatable = allocatableOf(pod);
  const { environment, ...told } = resolveEnvironment(pod, {
    node: 'fargate',
    services: [kubernetes],
    ...corpusSources(number),
    ...(allocatable && { allocatable }),
  });
  const preparation = preparePod(pod, { node: 'fargate', environment }, aDeployment());
  if (!preparation.ok) return { ...told, preparation };
  const { prepared, notes, summary } = preparation;
  const request = runTaskRequest(
    prepared.run,
    { podUid: prepared.podUid, attempt: 1, try: 1 },
    {
      clusterArn: 'arn:aws:ecs:eu-west-1:123456789012:cluster/svk-dev',
      clusterHash: '0123456789ab',
      taskDefinition: `arn:aws:ecs:eu-west-1:123456789012:task-definition/${prepared.definition.family}:1`,
    },
  );
  return {
    ...told,
    notes,
    summary,
    registerTaskDefinition: prepared.definition,
    putParameter: prepared.parameters,
    runTask: JSON.parse(request.body) as unknown,
  };
};

describe('a manifest becomes', () => {
  it.each(CASES)('what is written for %s', (number) => {
    const golden = readFileSync(new URL(`./pods/${number}.json`, import.meta.url), 'utf8');
    expect(outcomeOf(number)).toEqual(JSON.parse(golden));
  });
});
