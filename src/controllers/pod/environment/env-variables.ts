import type { Container, Pod } from '../../../model/kubernetes.ts';
import type { EnvironmentReport } from './environment-report.ts';
import { containersOf, type EnvironmentSources } from './environment-sources.ts';
import { fieldValue } from './field-values.ts';
import { type Reference, referredData, reportMissingKey, secretText, textOf } from './references.ts';
import { resourceValue } from './resource-values.ts';
import { expandFrom, type Variable } from './variables.ts';

type EnvVar = NonNullable<Container['env']>[number];
type ValueFrom = NonNullable<EnvVar['valueFrom']>;

/** Where a variable is resolved: its pod, its container and the path of its entry. */
export interface VariableContext {
  readonly pod: Pod;
  readonly container: Container;
  readonly namespace: string;
  readonly path: string;
  readonly sources: EnvironmentSources;
  readonly report: EnvironmentReport;
}

/**
 * One entry of a container's `env`. Values are expanded from the variables before it, references are taken as they
 * are. Undefined where it stays out: an optional reference that is not there, or a fault that has been reported.
 */
export const envVariable = (
  entry: EnvVar,
  known: (name: string) => Variable | undefined,
  context: VariableContext,
): Variable | undefined => {
  const { name, value, valueFrom } = entry;
  if (value || !valueFrom) return literalVariable(name, value ?? '', known, context);
  if (valueFrom.configMapKeyRef) return keyVariable(name, 'ConfigMap', valueFrom.configMapKeyRef, context);
  if (valueFrom.secretKeyRef) return keyVariable(name, 'Secret', valueFrom.secretKeyRef, context);
  if (valueFrom.fieldRef) return fieldVariable(name, valueFrom.fieldRef, context);
  if (valueFrom.resourceFieldRef) return resourceVariable(name, valueFrom.resourceFieldRef, context);
  const source = Object.keys(valueFrom).join(', ') || 'nothing';
  context.report.refuse(`${context.path}.valueFrom`, `${name} takes its value from ${source}, which is not supported`);
  return undefined;
};

/** What to tell about something that needs an address before there is one. */
export const lateMessage = (what: string, needs: string): string =>
  `${what} needs ${needs}, which is known only once the pod runs: let the program find out its own address ` +
  '(the annotation svk.dev/late-env, which would fill it in, is not supported yet)';

const literalVariable = (
  name: string,
  text: string,
  known: (name: string) => Variable | undefined,
  { path, report }: VariableContext,
): Variable => {
  const { value, origin, secret, late } = expandFrom(text, known);
  if (late.length > 0) {
    report.refuse(`${path}.value`, lateMessage(name, late.map((one) => `$(${one})`).join(', ')));
    return { name, late: true };
  }
  return { name, value, origin, ...(secret && { secret }) };
};

const keyVariable = (
  name: string,
  kind: 'ConfigMap' | 'Secret',
  selector: NonNullable<ValueFrom['secretKeyRef'] | ValueFrom['configMapKeyRef']>,
  { namespace, path, sources, report }: VariableContext,
): Variable | undefined => {
  const { key, name: object = '', optional = false } = selector;
  const reference: Reference = { kind, name: object, optional, use: `envvar "${name}"` };
  const data = referredData(reference, sources, report);
  if (!data) return undefined;
  const raw = data[key];
  if (raw === undefined) {
    reportMissingKey(reference, key, namespace, report);
    return undefined;
  }
  const value = kind === 'Secret' ? secretText(raw) : textOf(raw);
  if (value === undefined) {
    const field = `${path}.valueFrom.${kind === 'Secret' ? 'secretKeyRef' : 'configMapKeyRef'}`;
    const message = `${name}: key "${key}" of ${kind.toLowerCase()} "${object}" is not UTF-8 text without NUL, which a variable must be here`;
    report.refuse(field, message);
    return undefined;
  }
  return kind === 'Secret'
    ? { name, value, origin: 'secret', secret: { name: object, key } }
    : { name, value, origin: 'template' };
};

const fieldVariable = (
  name: string,
  { fieldPath }: NonNullable<ValueFrom['fieldRef']>,
  { pod, path, sources, report }: VariableContext,
): Variable | undefined => {
  const field = `${path}.valueFrom.fieldRef.fieldPath`;
  const resolved = fieldValue(pod, sources.node, fieldPath);
  switch (resolved.kind) {
    case 'value':
      return { name, value: resolved.value, origin: resolved.origin };
    case 'late':
      report.refuse(field, lateMessage(name, fieldPath));
      return { name, late: true };
    case 'unknown':
      report.refuse(field, `${name} takes its value from ${fieldPath}, which no variable can show`);
      return undefined;
    default:
      return resolved satisfies never;
  }
};

const resourceVariable = (
  name: string,
  reference: NonNullable<ValueFrom['resourceFieldRef']>,
  { pod, container, path, sources, report }: VariableContext,
): Variable | undefined => {
  const field = `${path}.valueFrom.resourceFieldRef`;
  const of = reference.containerName
    ? containersOf(pod).find((other) => other.name === reference.containerName)
    : container;
  if (!of) {
    report.refuse(
      `${field}.containerName`,
      `${name} names container "${reference.containerName}", which the pod has not`,
    );
    return undefined;
  }
  const resolved = resourceValue(of, reference, sources.allocatable);
  switch (resolved.kind) {
    case 'value':
      return { name, value: resolved.value, origin: 'template' };
    case 'no-limit':
      report.refuse(
        `${field}.resource`,
        `${name} shows ${reference.resource} of container "${of.name}": set that limit`,
      );
      return undefined;
    case 'unknown':
      report.refuse(`${field}.resource`, `${name} shows ${reference.resource}, which is not supported`);
      return undefined;
    default:
      return resolved satisfies never;
  }
};
