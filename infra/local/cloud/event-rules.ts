import { type ReferenceContext, resolveReferences } from './references.ts';
import { isRecord, resourcesOfType } from './service.ts';

/** One EventBridge rule of the template with a queue as its target. */
export interface EventRule {
  readonly pattern: Readonly<Record<string, unknown>>;
  readonly targetArn: string;
  readonly transformer?: { readonly paths: Readonly<Record<string, string>>; readonly template: string };
}

/** The event rules whose targets are queues. */
export const eventRulesOf = (context: ReferenceContext): readonly EventRule[] =>
  resourcesOfType(context.service, 'AWS::Events::Rule').flatMap(([, resource]) => {
    const properties = resolveReferences(resource.Properties ?? {}, context);
    if (!isRecord(properties) || !isRecord(properties['EventPattern']) || properties['State'] === 'DISABLED') return [];
    const targets = Array.isArray(properties['Targets']) ? properties['Targets'].filter(isRecord) : [];
    return targets.map((target) => ruleFor(properties['EventPattern'] as Readonly<Record<string, unknown>>, target));
  });

const ruleFor = (pattern: Readonly<Record<string, unknown>>, target: Readonly<Record<string, unknown>>): EventRule => {
  const targetArn = String(target['Arn']);
  const transformer = target['InputTransformer'];
  if (!isRecord(transformer)) return { pattern, targetArn };
  const paths = isRecord(transformer['InputPathsMap']) ? transformer['InputPathsMap'] : {};
  return {
    pattern,
    targetArn,
    transformer: {
      paths: Object.fromEntries(Object.entries(paths).map(([name, path]) => [name, String(path)])),
      template: String(transformer['InputTemplate']),
    },
  };
};

/**
 * EventBridge's matching for the operators we use: literals, `prefix`, `anything-but`, `exists` and `$or`. An operator it
 * does not know matches nothing, so that a rule which needs it is missed at once.
 */
export const matchesPattern = (pattern: unknown, event: unknown): boolean => {
  if (!isRecord(pattern)) return false;
  return Object.entries(pattern).every(([key, expected]) => {
    if (key === '$or') return Array.isArray(expected) && expected.some((option) => matchesPattern(option, event));
    const actual = isRecord(event) ? event[key] : undefined;
    return Array.isArray(expected) ? matchesAny(expected, actual) : matchesPattern(expected, actual);
  });
};

const matchesAny = (expected: readonly unknown[], actual: unknown): boolean =>
  Array.isArray(actual)
    ? actual.some((one) => matchesAny(expected, one))
    : expected.some((test) => matchesOne(test, actual));

const matchesOne = (test: unknown, actual: unknown): boolean => {
  if (!isRecord(test)) return test === actual;
  if ('prefix' in test) return typeof actual === 'string' && actual.startsWith(String(test['prefix']));
  if ('exists' in test) return (actual !== undefined) === test['exists'];
  if ('anything-but' in test) {
    const refused = test['anything-but'];
    return actual !== undefined && !(Array.isArray(refused) ? refused : [refused]).includes(actual);
  }
  return false;
};

/**
 * The text a target gets: the event itself, or the transformer's template with each `<name>` replaced by what its path
 * finds. A string is quoted unless the template quotes it; a path that finds nothing leaves nothing behind, which is
 * valid JSON only where the template quotes it. (AWS: "Amazon EventBridge input transformation".)
 */
export const inputFor = (rule: EventRule, event: unknown): string => {
  const { transformer } = rule;
  if (transformer === undefined) return JSON.stringify(event);
  return transformer.template.replace(
    /("?)<([A-Za-z0-9_.-]+)>("?)/g,
    (_, before: string, name: string, after: string) => {
      const path = transformer.paths[name];
      const value = path === undefined ? undefined : valueAt(event, path);
      if (value === undefined) return before + after;
      const text = JSON.stringify(value);
      return typeof value === 'string' || before === '' ? text : JSON.stringify(text);
    },
  );
};

const valueAt = (event: unknown, path: string): unknown => {
  let value = event;
  for (const part of path
    .replace(/^\$\.?/, '')
    .split('.')
    .filter(Boolean)) {
    value = isRecord(value) ? value[part] : undefined;
  }
  return value;
};
