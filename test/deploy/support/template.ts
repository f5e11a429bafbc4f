/** A CloudFormation template as far as the tests read it. */
export interface Template {
  readonly Resources: Readonly<Record<string, Resource>>;
  readonly Outputs: Readonly<Record<string, { readonly Value: unknown }>>;
}

/** Properties are whatever CloudFormation allows: tests name paths into them. */
export interface Resource {
  readonly Type: string;
  readonly DeletionPolicy?: string;
  readonly UpdateReplacePolicy?: string;
  readonly Properties: Readonly<Record<string, unknown>>;
}

/** The resource of this logical id. @throws {Error} where there is none. */
export function resource(template: Template, id: string): Resource {
  const found = template.Resources[id];
  if (found === undefined) throw new Error(`no resource ${id} in the template`);
  return found;
}

/** The resources of one type, by logical id. */
export function resourcesOf(template: Template, type: string): Readonly<Record<string, Resource>> {
  return Object.fromEntries(Object.entries(template.Resources).filter(([, { Type }]) => Type === type));
}

/** One statement of a policy, its lists always lists. */
export interface Statement {
  readonly Effect: string;
  readonly Action: readonly string[];
  readonly Resource: readonly unknown[];
  readonly Condition?: unknown;
}

/** Every statement of a role's inline policies. */
export function statementsOf(role: Resource): readonly Statement[] {
  const policies = role.Properties['Policies'] as readonly { PolicyDocument: { Statement: readonly RawStatement[] } }[];
  return policies.flatMap(({ PolicyDocument }) =>
    PolicyDocument.Statement.map((statement) => ({
      ...statement,
      Action: listOf(statement.Action),
      Resource: listOf(statement.Resource),
    })),
  );
}

interface RawStatement {
  readonly Effect: string;
  readonly Action: string | readonly string[];
  readonly Resource: unknown;
  readonly Condition?: unknown;
}

const listOf = <T>(value: T | readonly T[]): readonly T[] => (Array.isArray(value) ? value : [value as T]);
