import { readdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { resolveEnvironment } from '../../src/controllers/pod/environment/resolve-environment.ts';
import { preparePod } from '../../src/providers/fargate/prepare/prepare-pod.ts';
import { aDeployment } from './a-deployment.ts';
import { corpusPod, corpusSources } from './corpus.ts';

/** Fields that keep the pod from running and fields that run differently, by manifest. */
const outcomeOf = (number: string): { readonly refused: readonly string[]; readonly noted: readonly string[] } => {
  const pod = corpusPod(number);
  const { environment, problems } = resolveEnvironment(pod, {
    node: 'fargate',
    services: [],
    ...corpusSources(number),
  });
  const preparation = preparePod(pod, { node: 'fargate', environment }, aDeployment());
  const refused = [...problems, ...(preparation.ok ? [] : preparation.problems)];
  return {
    refused: refused.map(({ field }) => field),
    noted: preparation.ok ? preparation.notes.map(({ field }) => field) : [],
  };
};

const REFUSED: readonly (readonly [number: string, refused: readonly string[]])[] = [
  [
    '04',
    [
      'spec.containers[0].env[3].valueFrom.fieldRef.fieldPath',
      'spec.containers[0].env[4].valueFrom.fieldRef.fieldPath',
      'spec.containers[0].env[5].valueFrom.fieldRef.fieldPath',
      'spec.containers[0].env[14].value',
      'spec.volumes[0].projected',
    ],
  ],
  ['08', ['spec.volumes[0].projected']],
  ['09', ['spec.volumes[0].downwardAPI']],
  ['10', ['spec.containers', 'spec.volumes[0].emptyDir', 'spec.volumes[1].emptyDir']],
  ['11', ['spec.initContainers', 'spec.volumes[0].emptyDir']],
  ['13', ['spec.containers']],
  ['14', ['spec.containers']],
  [
    '15',
    [
      'spec.containers',
      'spec.containers[0].livenessProbe',
      'spec.containers[0].readinessProbe',
      'spec.containers[0].startupProbe',
      'spec.containers[1].readinessProbe',
      'spec.containers[2].readinessProbe',
    ],
  ],
  [
    '18',
    [
      'spec.hostNetwork',
      'spec.hostPID',
      'spec.hostIPC',
      'spec.containers[0].volumeDevices',
      'spec.containers[0].ports[0].hostPort',
      'spec.containers[0].ports[0].hostIP',
      'spec.containers[0].securityContext.privileged',
      'spec.containers[0].securityContext.capabilities.add',
      'spec.volumes[0].hostPath',
      'spec.volumes[1].hostPath',
      'spec.volumes[2].persistentVolumeClaim',
    ],
  ],
  ['19', ['spec.containers']],
  ['23', ['spec.containers']],
  ['24', ['spec.hostAliases']],
  ['33', ['spec.containers[0].env']],
  [
    '40',
    [
      'spec.initContainers',
      'spec.containers',
      'spec.containers[0].livenessProbe',
      'spec.containers[0].readinessProbe',
      'spec.volumes[0].emptyDir',
      'spec.volumes[1].secret',
    ],
  ],
  ['41', ['spec.containers[0].livenessProbe', 'spec.containers[0].readinessProbe', 'spec.volumes[0].projected']],
  [
    '43',
    [
      'spec.containers[0].env[0].valueFrom.fieldRef.fieldPath',
      'spec.initContainers',
      'spec.volumes[0].hostPath',
      'spec.volumes[1].emptyDir',
    ],
  ],
  ['46', ['spec.volumes[0].persistentVolumeClaim']],
  ['47', ['spec.volumes[0].projected', 'spec.volumes[1].projected']],
  ['48', ['spec.containers[0].livenessProbe', 'spec.volumes[0].secret', 'spec.volumes[1].projected']],
  ['53', ['spec.volumes[0].configMap', 'spec.volumes[1].configMap', 'spec.volumes[2].emptyDir']],
  [
    '54',
    [
      'spec.hostNetwork',
      'spec.hostPID',
      'spec.containers[0].ports[0].hostPort',
      'spec.volumes[0].hostPath',
      'spec.volumes[1].hostPath',
      'spec.volumes[2].hostPath',
    ],
  ],
  [
    '55',
    ['spec.volumes[0].hostPath', 'spec.volumes[1].hostPath', 'spec.volumes[2].hostPath', 'spec.volumes[3].projected'],
  ],
  ['64', ['spec.initContainers']],
  [
    '70',
    [
      'spec.initContainers',
      'spec.volumes[0].emptyDir',
      'spec.volumes[1].emptyDir',
      'spec.volumes[2].configMap',
      'spec.volumes[3].secret',
      'spec.volumes[4].projected',
    ],
  ],
  [
    '72',
    [
      'spec.initContainers',
      'spec.initContainers[1].securityContext.privileged',
      'spec.volumes[0].emptyDir',
      'spec.volumes[1].emptyDir',
      'spec.volumes[2].emptyDir',
      'spec.volumes[3].projected',
    ],
  ],
  [
    '74',
    [
      'spec.initContainers',
      'spec.containers',
      'spec.volumes[0].emptyDir',
      'spec.volumes[1].emptyDir',
      'spec.volumes[2].emptyDir',
      'spec.volumes[3].emptyDir',
      'spec.volumes[4].emptyDir',
      'spec.volumes[5].emptyDir',
      'spec.volumes[6].downwardAPI',
      'spec.volumes[7].projected',
    ],
  ],
  ['76', ['spec.containers', 'spec.volumes[0].emptyDir']],
  [
    '77',
    [
      'spec.containers[0].env[5].valueFrom.fieldRef.fieldPath',
      'spec.volumes[0].emptyDir',
      'spec.volumes[1].configMap',
      'spec.volumes[2].projected',
    ],
  ],
  ['82', ['spec.volumes[0].emptyDir']],
  [
    '83',
    [
      'spec.containers[0].livenessProbe',
      'spec.containers[0].readinessProbe',
      'spec.volumes[0].emptyDir',
      'spec.volumes[1].projected',
    ],
  ],
];

/** Those that run, with the fields that do so differently. */
const NOTED: readonly (readonly [number: string, noted: readonly string[]])[] = [
  ['26', []],
  ['27', []],
  ['30', []],
  ['51', ['spec.terminationGracePeriodSeconds']],
  ['61', ['spec.subdomain']],
  ['62', []],
  ['73', []],
];

it.each(REFUSED)('everything manifest %s asks for and cannot have is named at once', (number, refused) => {
  expect(outcomeOf(number).refused).toEqual(refused);
});

it.each(NOTED)('manifest %s runs, noting %j', (number, noted) => {
  expect(outcomeOf(number)).toEqual({ refused: [], noted });
});

it('no manifest of the corpus is left out', () => {
  const written = readdirSync(new URL('./pods/', import.meta.url)).map((file) => file.slice(0, 2));
  const tried = [...REFUSED, ...NOTED].map(([number]) => number);
  const corpus = readdirSync(new URL('../corpus/', import.meta.url)).map((file) => file.slice(0, 2));
  expect([...new Set([...written, ...tried])].toSorted()).toEqual(corpus.toSorted());
});
