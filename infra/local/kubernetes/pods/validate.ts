import { duplicate, type FieldError, forbidden, invalid, required, unsupported } from '../model/field-error.ts';
import { type JsonObject, type KubernetesObject, numberOf, objectOf, objectsOf, textOf } from '../model/object.ts';
import { labelFaults, labelValueFaults, qualifiedNameFaults } from '../values/names.ts';
import { containerErrors } from './validate-container.ts';

const RESTART_POLICIES = ['Always', 'OnFailure', 'Never'];
const DNS_POLICIES = ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None'];
const EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];
const MAX_INT32 = 2_147_483_647;

/** `ValidatePod` for what manifests commonly get wrong, in the real server's order and words. */
export const podErrors = (pod: KubernetesObject): readonly FieldError[] => {
  const spec = objectOf(pod['spec']);
  const volumes = objectsOf(spec['volumes']);
  const volumeNames = new Set(volumes.map((volume) => textOf(volume['name']) ?? ''));
  volumeNames.delete('');
  const containers = objectsOf(spec['containers']);
  const taken = new Set<string>();
  const deadline = numberOf(spec['activeDeadlineSeconds']);
  return [
    ...volumeErrors(volumes),
    ...(containers.length === 0 ? [required('spec.containers')] : []),
    ...containers.flatMap((container, index) =>
      containerErrors(container, `spec.containers[${index}]`, volumeNames, taken),
    ),
    ...objectsOf(spec['initContainers']).flatMap((container, index) =>
      containerErrors(container, `spec.initContainers[${index}]`, volumeNames, taken),
    ),
    ...oneOf(spec, 'restartPolicy', RESTART_POLICIES),
    ...oneOf(spec, 'dnsPolicy', DNS_POLICIES),
    ...(deadline !== undefined && (deadline < 1 || deadline > MAX_INT32)
      ? [invalid('spec.activeDeadlineSeconds', deadline, `must be between 1 and ${MAX_INT32}, inclusive`)]
      : []),
    ...selectorErrors(objectOf(spec['nodeSelector'])),
    ...objectsOf(spec['tolerations']).flatMap((toleration, index) =>
      tolerationErrors(toleration, `spec.tolerations[${index}]`),
    ),
  ];
};

const oneOf = (spec: JsonObject, field: string, values: readonly string[]): readonly FieldError[] =>
  values.includes(textOf(spec[field]) ?? '') ? [] : [unsupported(`spec.${field}`, spec[field], values)];

const volumeErrors = (volumes: readonly JsonObject[]): readonly FieldError[] => {
  const taken = new Set<string>();
  return volumes.flatMap((volume, index) => {
    const path = `spec.volumes[${index}]`;
    const name = textOf(volume['name']) ?? '';
    const surplus = Object.keys(volume)
      .filter((field) => field !== 'name')
      .slice(1);
    const isTaken = name !== '' && taken.has(name);
    taken.add(name);
    return [
      ...surplus.map((source) => forbidden(`${path}.${source}`, 'may not specify more than 1 volume type')),
      ...(name === ''
        ? [required(`${path}.name`)]
        : labelFaults(name).map((fault) => invalid(`${path}.name`, name, fault))),
      ...(isTaken ? [duplicate(`${path}.name`, name)] : []),
      ...sourceErrors(volume, path),
    ];
  });
};

/** Sources that must name what they mount. */
const sourceErrors = (volume: JsonObject, path: string): readonly FieldError[] =>
  (
    [
      ['secret', 'secretName'],
      ['configMap', 'name'],
      ['persistentVolumeClaim', 'claimName'],
      ['hostPath', 'path'],
    ] as const
  ).flatMap(([source, field]) =>
    volume[source] !== undefined && !textOf(objectOf(volume[source])[field])
      ? [required(`${path}.${source}.${field}`)]
      : [],
  );

const selectorErrors = (selector: JsonObject): readonly FieldError[] =>
  Object.entries(selector).flatMap(([key, value]) => [
    ...qualifiedNameFaults(key).map((fault) => invalid('spec.nodeSelector', key, fault)),
    ...labelValueFaults(String(value)).map((fault) => invalid('spec.nodeSelector', value, fault)),
  ]);

const tolerationErrors = (toleration: JsonObject, path: string): readonly FieldError[] => {
  const key = textOf(toleration['key']) ?? '';
  const operator = textOf(toleration['operator']) || 'Equal';
  const effect = textOf(toleration['effect']) ?? '';
  return [
    ...(key === '' ? [] : qualifiedNameFaults(key).map((fault) => invalid(`${path}.key`, key, fault))),
    ...(key === '' && operator !== 'Exists'
      ? [
          invalid(
            `${path}.operator`,
            operator,
            'operator must be Exists when `key` is empty, which means "match all values and all keys"',
          ),
        ]
      : []),
    ...(toleration['tolerationSeconds'] !== undefined && effect !== 'NoExecute'
      ? [invalid(`${path}.effect`, effect, "effect must be 'NoExecute' when `tolerationSeconds` is set")]
      : []),
    ...(operator === 'Equal' || operator === 'Exists'
      ? []
      : [unsupported(`${path}.operator`, operator, ['Equal', 'Exists'])]),
    ...(operator === 'Exists' && textOf(toleration['value'])
      ? [invalid(`${path}.operator`, toleration['value'], "value must be empty when `operator` is 'Exists'")]
      : []),
    ...(effect === '' || EFFECTS.includes(effect) ? [] : [unsupported(`${path}.effect`, effect, EFFECTS)]),
  ];
};
