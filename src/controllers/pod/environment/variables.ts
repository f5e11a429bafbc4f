import { expandReferences } from '../../../core/expansion.ts';
import type { ResolvedVariable, VariableOrigin } from '../../../model/environment.ts';

/**
 * A variable while the environment is being resolved. `late` ones have no value yet: they, and all that is made of them,
 * were reported as problems.
 */
export type Variable = ResolvedVariable | { readonly name: string; readonly late: true };

/** True for variables that have a value. */
export const isResolved = (variable: Variable): variable is ResolvedVariable => !('late' in variable);

/** Text with its references expanded, and what went into it. */
export interface Expanded {
  readonly value: string;
  /** The most guarded origin of what was expanded. */
  readonly origin: VariableOrigin;
  /** Names of the secret variables that went in, in order. */
  readonly secretVariables: readonly string[];
  readonly secret?: { readonly name: string; readonly key: string };
  /** Names of variables without a value yet. */
  readonly late: readonly string[];
}

const GUARD: Readonly<Record<VariableOrigin, number>> = { template: 0, identity: 1, secret: 2 };

/** Expands `$(NAME)` from the variables known so far, keeping track of how guarded the outcome is. */
export const expandFrom = (text: string, variableOf: (name: string) => Variable | undefined): Expanded => {
  const used: ResolvedVariable[] = [];
  const late: string[] = [];
  const value = expandReferences(text, (name) => {
    const variable = variableOf(name);
    if (variable === undefined) return undefined;
    if (!isResolved(variable)) {
      late.push(name);
      return '';
    }
    used.push(variable);
    return variable.value;
  });
  const origin = used.reduce<VariableOrigin>(
    (most, variable) => (GUARD[variable.origin] > GUARD[most] ? variable.origin : most),
    'template',
  );
  const secrets = used.filter((variable) => variable.origin === 'secret');
  const [secret] = secrets.flatMap((variable) => variable.secret ?? []);
  return { value, origin, late, secretVariables: secrets.map(({ name }) => name), ...(secret && { secret }) };
};
