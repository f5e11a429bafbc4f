import type { KeyValuePair } from '@aws-sdk/client-ecs';
import type { ResolvedArgument, ResolvedContainer, ResolvedVariable } from '../../../model/environment.ts';
import { Findings } from './findings.ts';
import { MAX_PARAMETER_BYTES, secretParameter } from './secret-parameter.ts';
import type { SecretScope, SharedSecret } from './shared-secret.ts';

/**
 * How environment and command line reach one container. What the pods of a template share goes into the definition;
 * what tells them apart goes into the overrides of the launch; what is secret goes into parameters.
 */
export interface Delivery {
  readonly environment: readonly KeyValuePair[];
  readonly secrets: readonly (SharedSecret & { readonly name: string })[];
  readonly entryPoint?: readonly string[];
  readonly command?: readonly string[];
  readonly override: { readonly environment: readonly KeyValuePair[]; readonly command?: readonly string[] };
}

/**
 * `entryPoint` is the first word of the command only, because it cannot be overridden; the rest is `command`. A Secret
 * in the command line is refused by variable: command lines are readable by whoever may describe tasks.
 */
export const deliveryOf = (
  container: ResolvedContainer,
  path: string,
  scope: SecretScope,
  findings: Findings = new Findings(),
): Delivery => {
  refuseSecretWords(container, path, findings);
  const secret = container.env.filter(isSecret);
  for (const { name, value } of secret) {
    const bytes = Buffer.byteLength(value);
    if (bytes > MAX_PARAMETER_BYTES)
      findings.refuse(
        `${path}.env`,
        `${name}: its secret value has ${bytes} bytes, a parameter holds ${MAX_PARAMETER_BYTES}: shorten it`,
      );
  }

  const [first, ...others] = container.command ?? [];
  const rest = [...others, ...(container.args ?? [])];
  const perPod = rest.some(({ origin }) => origin === 'identity');
  return {
    environment: container.env
      .filter((variable) => variable.origin === 'template' || isEmptySecret(variable))
      .map(toPair),
    secrets: secret.map((variable) => ({ name: variable.name, ...secretParameter(variable, scope) })),
    ...(first && { entryPoint: [first.value] }),
    ...(rest.length > 0 && !perPod && { command: rest.map(valueOf) }),
    override: {
      environment: container.env.filter(({ origin }) => origin === 'identity').map(toPair),
      ...(perPod && { command: rest.map(valueOf) }),
    },
  };
};

const refuseSecretWords = ({ command = [], args = [] }: ResolvedContainer, path: string, findings: Findings): void => {
  for (const [field, words] of [
    ['command', command],
    ['args', args],
  ] as const) {
    for (const [index, { origin, variables = [] }] of words.entries()) {
      if (origin === 'secret')
        findings.refuse(
          `${path}.${field}[${index}]`,
          `$(${variables.join('), $(')}) would put a Secret into the command line: let the program read the variable itself`,
        );
    }
  }
};

/** Parameters cannot be empty, and an empty value is no secret. */
const isEmptySecret = ({ origin, value }: ResolvedVariable): boolean => origin === 'secret' && value === '';

const isSecret = (variable: ResolvedVariable): boolean => variable.origin === 'secret' && !isEmptySecret(variable);

const toPair = ({ name, value }: ResolvedVariable): KeyValuePair => ({ name, value });

const valueOf = ({ value }: ResolvedArgument): string => value;
