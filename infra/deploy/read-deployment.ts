import { PROVIDERS } from '../../src/app/providers.ts';
import { faultsText } from '../../src/config/faults.ts';
import { readSettings } from '../../src/config/settings.ts';
import { PermanentError } from '../../src/core/errors.ts';
import { kubeletEndpoints } from './endpoints.ts';
import { type Fault, type GivenParameters, readParameters, type StackParameters } from './parameters.ts';
import { placementFaults } from './real-ids.ts';
import { stackParts } from './stack.ts';
import type { StackShape, TemplatePart } from './template.ts';

export interface DeploymentInput {
  /** The settings file, variables resolved. */
  readonly settings: unknown;
  /** Its name, for messages. */
  readonly file: string;
  readonly stage: string;
  readonly parameters: GivenParameters;
  /** Whether it goes to an account: what names nothing there is refused. */
  readonly isDeployed: boolean;
}

/** What serverless.yml takes from here. */
export interface CheckedDeployment {
  /** The settings as the functions get them: one line of JSON. */
  readonly json: string;
  readonly kubeletEndpoints: unknown;
  readonly logRetentionDays: number;
  readonly workerConcurrency: number;
  readonly metrics: 'none' | 'emf';
  readonly parts: TemplatePart;
}

/** 500 resources a stack: 75 of its own, up to 8 for each node. */
const MOST_NODES = 40;
/** Of the 4 KB of a function's environment: what the other variables leave, and what each node's endpoint takes. */
const SETTINGS_CHARACTERS = 3_000;
const ENDPOINT_CHARACTERS = 100;

/**
 * Checks everything that is given for a deployment before anything is packaged.
 * @throws {PermanentError} whose message lists every fault of the settings file and of the parameters.
 */
export const readDeployment = ({
  settings,
  file,
  stage,
  parameters,
  isDeployed,
}: DeploymentInput): CheckedDeployment => {
  const { parameters: chosen, faults } = readParameters(parameters);
  const given = withLists(settings);
  const json = JSON.stringify(given);
  const read = readSettings(given, PROVIDERS);
  const nodes = read.ok ? read.settings.nodes.map(({ name }) => name) : [];
  const all = [
    ...(read.ok ? deploymentFaults({ deployment: read.settings.deployment, stage, file }) : read.faults),
    ...(read.ok && isDeployed ? placementFaults(read.settings.providerSettings.profiles) : []),
    ...sizeFaults(nodes, json),
    ...faults,
  ];
  if (all.length > 0) throw new PermanentError(faultsText(file, all));
  return checked({ deployment: stage, nodes }, chosen, json);
};

const checked = (shape: StackShape, chosen: StackParameters, json: string): CheckedDeployment => ({
  json,
  kubeletEndpoints: kubeletEndpoints(shape.nodes, chosen.domain),
  logRetentionDays: chosen.logRetentionDays,
  workerConcurrency: chosen.workerConcurrency,
  metrics: chosen.metrics ? 'emf' : 'none',
  parts: stackParts(shape, chosen, json),
});

const deploymentFaults = (of: {
  readonly deployment: string;
  readonly stage: string;
  readonly file: string;
}): readonly Fault[] =>
  of.deployment === of.stage
    ? []
    : [
        {
          field: '--stage',
          message: `deployment is "${of.deployment}" and the stage "${of.stage}": name both alike, or write \${sls:stage} in ${of.file}`,
        },
      ];

const sizeFaults = (nodes: readonly string[], json: string): readonly Fault[] => [
  ...(nodes.length > MOST_NODES
    ? [
        {
          field: 'nodes',
          message: `has ${nodes.length} nodes and a stack holds ${MOST_NODES}: make another deployment`,
        },
      ]
    : []),
  ...(nodes.length <= MOST_NODES && json.length + nodes.length * ENDPOINT_CHARACTERS > SETTINGS_CHARACTERS
    ? [
        {
          field: 'nodes',
          message: `the settings do not fit into the environment of a function (${json.length} characters for ${nodes.length} nodes): share labels by profiles, or make another deployment`,
        },
      ]
    : []),
];

/** A list given by parameter arrives as one text. */
const withLists = (settings: unknown): unknown => {
  if (!isRecord(settings) || !isRecord(settings['profiles'])) return isRecord(settings) ? settings : {};
  const profiles = Object.entries(settings['profiles']).map(([name, profile]): [string, unknown] => [
    name,
    isRecord(profile)
      ? { ...profile, subnets: listOf(profile['subnets']), securityGroups: listOf(profile['securityGroups']) }
      : profile,
  ]);
  return { ...settings, profiles: Object.fromEntries(profiles) };
};

const listOf = (value: unknown): unknown =>
  typeof value === 'string'
    ? value
        .split(',')
        .map((item) => item.trim())
        .filter((item) => item !== '')
    : value;

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
