import type { KeyValuePair, RegisterTaskDefinitionCommandInput, TaskOverride } from '@aws-sdk/client-ecs';
import type { Findings } from './findings.ts';

/** "Task definition size limit" of the ECS developer guide. */
export const MAX_DEFINITION_BYTES = 65_536;
/** RunTask: "a total of 8192 characters are allowed for overrides", JSON punctuation included. */
const MAX_OVERRIDE_CHARACTERS = 8192;
const NAMED = 5;

export const definitionBytes = (definition: RegisterTaskDefinitionCommandInput): number =>
  Buffer.byteLength(JSON.stringify(definition));

/** Refuses a definition that ECS would not take, naming the variables that take most of it. */
export const checkDefinitionSize = (definition: RegisterTaskDefinitionCommandInput, findings: Findings): void => {
  const bytes = definitionBytes(definition);
  if (bytes <= MAX_DEFINITION_BYTES) return;
  const variables = (definition.containerDefinitions ?? []).flatMap(({ environment = [] }) => environment);
  findings.refuse(
    'spec.containers[0].env',
    `the task definition would have ${bytes} bytes, Fargate takes ${MAX_DEFINITION_BYTES}: shorten the largest variables, ${largest(variables)}`,
  );
};

/** The same for what goes into the overrides of each launch. */
export const checkOverrideSize = (overrides: TaskOverride, findings: Findings): void => {
  const characters = JSON.stringify(overrides).length;
  if (characters <= MAX_OVERRIDE_CHARACTERS) return;
  const variables = (overrides.containerOverrides ?? []).flatMap(({ environment = [] }) => environment);
  findings.refuse(
    'spec.containers[0].env',
    `what differs from pod to pod would have ${characters} characters, Fargate takes ${MAX_OVERRIDE_CHARACTERS}: shorten the largest, ${largest(variables)}`,
  );
};

const largest = (variables: readonly KeyValuePair[]): string =>
  variables.length === 0
    ? 'the command line'
    : variables
        .map(({ name = '', value = '' }) => ({ name, bytes: Buffer.byteLength(name) + Buffer.byteLength(value) }))
        .sort((a, b) => b.bytes - a.bytes || (a.name < b.name ? -1 : 1))
        .slice(0, NAMED)
        .map(({ name, bytes }) => `${name} (${bytes} bytes)`)
        .join(', ');
