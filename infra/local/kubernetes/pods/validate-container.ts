import { duplicate, type FieldError, invalid, missing, required, unsupported } from '../model/field-error.ts';
import { isObject, type JsonObject, numberOf, objectOf, objectsOf, textOf } from '../model/object.ts';
import { labelFaults } from '../values/names.ts';
import { nanoOf } from '../values/quantity.ts';

const PROTOCOLS = ['SCTP', 'TCP', 'UDP'];
const PULL_POLICIES = ['Always', 'IfNotPresent', 'Never'];
const STANDARD_RESOURCES = ['cpu', 'memory', 'ephemeral-storage', 'storage'];
const FIELD_PATHS =
  /^(metadata\.(name|namespace|uid|labels\['.+'\]|annotations\['.+'\])|spec\.(nodeName|serviceAccountName)|status\.(hostIP|hostIPs|podIP|podIPs))$/;

/** `validateContainer` for what manifests commonly get wrong. `volumes` are the names volume mounts may use. */
export const containerErrors = (
  container: JsonObject,
  path: string,
  volumes: ReadonlySet<string>,
  taken: Set<string>,
): readonly FieldError[] => [
  ...nameErrors(textOf(container['name']) ?? '', path, taken),
  ...(textOf(container['image']) ? [] : [required(`${path}.image`)]),
  ...objectsOf(container['ports']).flatMap((port, index) => portErrors(port, `${path}.ports[${index}]`)),
  ...objectsOf(container['env']).flatMap((variable, index) => envErrors(variable, `${path}.env[${index}]`)),
  ...mountErrors(objectsOf(container['volumeMounts']), `${path}.volumeMounts`, volumes),
  ...(PULL_POLICIES.includes(textOf(container['imagePullPolicy']) ?? '')
    ? []
    : [unsupported(`${path}.imagePullPolicy`, container['imagePullPolicy'], PULL_POLICIES)]),
  ...resourceErrors(objectOf(container['resources']), `${path}.resources`),
];

const nameErrors = (name: string, path: string, taken: Set<string>): readonly FieldError[] => {
  if (name === '') return [required(`${path}.name`)];
  if (taken.has(name)) return [duplicate(`${path}.name`, name)];
  taken.add(name);
  return labelFaults(name).map((fault) => invalid(`${path}.name`, name, fault));
};

const isPort = (port: number): boolean => port >= 1 && port <= 65_535;

const portErrors = (port: JsonObject, path: string): readonly FieldError[] => {
  const number = numberOf(port['containerPort']) ?? 0;
  const hostPort = numberOf(port['hostPort']) ?? 0;
  const name = textOf(port['name']) ?? '';
  const range = 'must be between 1 and 65535, inclusive';
  return [
    ...(name !== '' && !/^(?=.*[a-z])(?!.*--)[a-z0-9]([-a-z0-9]{0,13}[a-z0-9])?$/.test(name)
      ? [
          invalid(
            `${path}.name`,
            name,
            'must contain at least one letter (a-z), only lower case letters, digits and single hyphens, and be no more than 15 characters',
          ),
        ]
      : []),
    ...(number === 0
      ? [required(`${path}.containerPort`)]
      : isPort(number)
        ? []
        : [invalid(`${path}.containerPort`, number, range)]),
    ...(hostPort === 0 || isPort(hostPort) ? [] : [invalid(`${path}.hostPort`, hostPort, range)]),
    ...(PROTOCOLS.includes(textOf(port['protocol']) ?? '')
      ? []
      : [unsupported(`${path}.protocol`, port['protocol'], PROTOCOLS)]),
  ];
};

const envErrors = (variable: JsonObject, path: string): readonly FieldError[] => {
  const name = textOf(variable['name']) ?? '';
  const from = variable['valueFrom'];
  return [
    ...(name === ''
      ? [required(`${path}.name`)]
      : /^[ -<>-~]+$/.test(name)
        ? []
        : [
            invalid(
              `${path}.name`,
              name,
              "a valid environment variable name must consist only of printable ASCII characters other than '='",
            ),
          ]),
    ...(isObject(from) ? valueFromErrors(from, `${path}.valueFrom`, Boolean(variable['value'])) : []),
  ];
};

const valueFromErrors = (from: JsonObject, path: string, hasValue: boolean): readonly FieldError[] => {
  const sources = Object.keys(from);
  const fieldPath = isObject(from['fieldRef']) ? (textOf(from['fieldRef']['fieldPath']) ?? '') : undefined;
  return [
    ...(fieldPath === undefined || FIELD_PATHS.test(fieldPath)
      ? []
      : fieldPath === ''
        ? [required(`${path}.fieldRef.fieldPath`)]
        : [
            invalid(
              `${path}.fieldRef.fieldPath`,
              fieldPath,
              `error converting fieldPath: field label not supported: ${fieldPath}`,
            ),
          ]),
    ...['configMapKeyRef', 'secretKeyRef'].flatMap((kind) => {
      const reference = from[kind];
      return isObject(reference) && !textOf(reference['key']) ? [required(`${path}.${kind}.key`)] : [];
    }),
    ...(sources.length === 0
      ? [
          invalid(
            path,
            '',
            'must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef`, or `fileKeyRef`',
          ),
        ]
      : []),
    ...(sources.length > 1 ? [invalid(path, '', 'may not have more than one field specified at a time')] : []),
    ...(hasValue && sources.length > 0 ? [invalid(path, '', 'may not be specified when `value` is not empty')] : []),
  ];
};

const mountErrors = (
  mounts: readonly JsonObject[],
  path: string,
  volumes: ReadonlySet<string>,
): readonly FieldError[] => {
  const paths = new Set<string>();
  return mounts.flatMap((mount, index) => {
    const name = textOf(mount['name']) ?? '';
    const mountPath = textOf(mount['mountPath']) ?? '';
    const isTaken = mountPath !== '' && paths.has(mountPath);
    paths.add(mountPath);
    return [
      ...(name === '' ? [required(`${path}[${index}].name`)] : []),
      ...(volumes.has(name) ? [] : [missing(`${path}[${index}].name`, name)]),
      ...(mountPath === '' ? [required(`${path}[${index}].mountPath`)] : []),
      ...(isTaken ? [invalid(`${path}[${index}].mountPath`, mountPath, 'must be unique')] : []),
    ];
  });
};

const resourceErrors = (resources: JsonObject, path: string): readonly FieldError[] => {
  const limits = objectOf(resources['limits']);
  const requests = objectOf(resources['requests']);
  const errors: FieldError[] = [];
  for (const [name, amount] of Object.entries(limits)) {
    errors.push(...resourceNameErrors(name, `${path}.limits`));
    if (nanoOf(amount) < 0n) errors.push(negative(`${path}.limits[${name}]`, amount));
  }
  for (const [name, amount] of Object.entries(requests)) {
    const limit = limits[name];
    if (limit !== undefined && nanoOf(amount) > nanoOf(limit)) {
      errors.push(
        invalid(`${path}.requests`, amount, `must be less than or equal to ${name} limit of ${textOf(limit) ?? ''}`),
      );
    }
    errors.push(...resourceNameErrors(name, `${path}.requests`));
    if (nanoOf(amount) < 0n) errors.push(negative(`${path}.requests[${name}]`, amount));
  }
  return errors;
};

const negative = (path: string, amount: unknown): FieldError =>
  invalid(path, amount, 'must be greater than or equal to 0');

const resourceNameErrors = (name: string, path: string): readonly FieldError[] =>
  STANDARD_RESOURCES.includes(name) || name.startsWith('hugepages-') || name.includes('/')
    ? []
    : [
        invalid(`${path}[${name}]`, name, 'must be a standard resource type or fully qualified'),
        invalid(`${path}[${name}]`, name, 'must be a standard resource for containers'),
      ];
