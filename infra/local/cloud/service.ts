/** The part of a packaged service that the local cloud reads: what `serverless.yml` says, variables resolved. */
export interface Service {
  readonly service: string;
  readonly provider: {
    readonly stage: string;
    readonly region: string;
    readonly timeout?: number;
    readonly memorySize?: number;
    readonly environment?: Record<string, unknown>;
  };
  readonly functions: Readonly<Record<string, FunctionDefinition>>;
  readonly resources?: { readonly Resources?: Readonly<Record<string, Resource>> };
}

export interface FunctionDefinition {
  readonly name: string;
  readonly handler: string;
  readonly timeout?: number;
  readonly memorySize?: number;
  readonly environment?: Record<string, unknown>;
  readonly events?: readonly Readonly<Record<string, unknown>>[];
}

export interface Resource {
  readonly Type: string;
  readonly Properties?: Readonly<Record<string, unknown>>;
}

/** True for anything with members: what a template's value is when it is neither a list nor a scalar. */
export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The resources of one CloudFormation type, by logical id. */
export const resourcesOfType = (service: Service, type: string): readonly (readonly [string, Resource])[] =>
  Object.entries(service.resources?.Resources ?? {}).filter(([, resource]) => resource.Type === type);
