import type { Container } from '../../../model/kubernetes.ts';
import type { EnvironmentReport } from './environment-report.ts';
import type { EnvironmentSources } from './environment-sources.ts';
import { type Reference, referredData, secretText, textOf } from './references.ts';
import type { Variable } from './variables.ts';

const STRICT_NAME = /^[-._a-zA-Z][-._a-zA-Z0-9]*$/;
const RELAXED_NAME = /^[ -<>-~]+$/;

/**
 * The variables of one container's `envFrom`, in the order of its sources (later ones win where they are merged), keys
 * sorted. Keys that make no variable name, and values no environment can hold, are skipped with one event per source.
 */
export const envFromVariables = (
  { envFrom = [] }: Container,
  namespace: string,
  sources: EnvironmentSources,
  report: EnvironmentReport,
): readonly Variable[] =>
  envFrom.flatMap(({ configMapRef, secretRef, prefix = '' }) => {
    const referred = configMapRef ?? secretRef;
    if (!referred?.name) return [];
    const kind = configMapRef ? 'ConfigMap' : 'Secret';
    const reference: Reference = {
      kind,
      name: referred.name,
      optional: referred.optional === true,
      use: 'envFrom source',
    };
    const data = referredData(reference, sources, report);
    if (!data) return [];

    const keys = Object.keys(data).sort();
    const isName = nameRule(sources.relaxedVariableNames === true);
    const badNames = keys.filter((key) => !isName(prefix + key));
    const where = `${kind.toLowerCase()} ${namespace}/${reference.name}`;
    if (badNames.length > 0) {
      const message = `keys [${badNames.join(', ')}] from ${where} were skipped: they are no valid variable names`;
      report.warn('InvalidEnvironmentVariableNames', message);
    }

    const badValues: string[] = [];
    const variables = keys
      .filter((key) => isName(prefix + key))
      .flatMap((key): Variable[] => {
        const value = kind === 'Secret' ? secretText(data[key] ?? '') : textOf(data[key] ?? '');
        if (value === undefined) {
          badValues.push(key);
          return [];
        }
        const name = prefix + key;
        return [
          kind === 'Secret'
            ? { name, value, origin: 'secret', secret: { name: reference.name, key } }
            : { name, value, origin: 'template' },
        ];
      });
    if (badValues.length > 0) {
      const message = `keys [${badValues.join(', ')}] from ${where} were skipped: their values are not UTF-8 text without NUL`;
      report.warn('InvalidEnvironmentVariableValues', message);
    }
    return variables;
  });

/** `IsEnvVarName` and `IsRelaxedEnvVarName` of apimachinery. */
const nameRule =
  (relaxed: boolean) =>
  (name: string): boolean =>
    relaxed ? RELAXED_NAME.test(name) : STRICT_NAME.test(name) && name !== '.' && !name.startsWith('..');
