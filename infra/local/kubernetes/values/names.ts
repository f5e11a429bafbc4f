/** Why a name does not fit: none or more sentences, worded as in apimachinery's `validation` package. */
export type NameFaults = readonly string[];

const LABEL = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const QUALIFIED_PART = /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/;
const LABEL_VALUE = /^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/;
const CONFIG_KEY = /^[-._a-zA-Z0-9]+$/;

const LABEL_FAULT =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const SUBDOMAIN_FAULT =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const PART_FAULT =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const VALUE_FAULT =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
const CONFIG_KEY_FAULT =
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";

const tooLong = (most: number): string => `must be no more than ${most} characters`;

/** RFC 1123 label: container and volume names, service names. */
export const labelFaults = (name: string): NameFaults => [
  ...(name.length > 63 ? [tooLong(63)] : []),
  ...(LABEL.test(name) ? [] : [LABEL_FAULT]),
];

/** RFC 1123 subdomain: the names of most objects. */
export const subdomainFaults = (name: string): NameFaults => [
  ...(name.length > 253 ? [tooLong(253)] : []),
  ...(SUBDOMAIN.test(name) ? [] : [SUBDOMAIN_FAULT]),
];

/** Namespaces: a label, with a sentence of its own for dots. */
export const namespaceFaults = (name: string): NameFaults =>
  name.includes('.') ? ['must not contain dots'] : labelFaults(name);

/** `[prefix/]name`: keys of labels, annotations and taints. */
export const qualifiedNameFaults = (key: string): NameFaults => {
  const parts = key.split('/');
  if (parts.length > 2) {
    return [
      "a qualified name must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')",
    ];
  }
  const name = parts[parts.length - 1] ?? '';
  const prefix = parts.length === 2 ? (parts[0] ?? '') : undefined;
  return [
    ...(prefix === undefined
      ? []
      : prefix === ''
        ? ['prefix part must be non-empty']
        : subdomainFaults(prefix).map((fault) => `prefix part ${fault}`)),
    ...(name === '' ? ['name part must be non-empty'] : name.length > 63 ? [`name part ${tooLong(63)}`] : []),
    ...(QUALIFIED_PART.test(name) ? [] : [PART_FAULT]),
  ];
};

export const labelValueFaults = (value: string): NameFaults => [
  ...(value.length > 63 ? [tooLong(63)] : []),
  ...(LABEL_VALUE.test(value) ? [] : [VALUE_FAULT]),
];

/** Keys of ConfigMap and Secret data. */
export const configKeyFaults = (key: string): NameFaults => [
  ...(key.length > 253 ? [tooLong(253)] : []),
  ...(CONFIG_KEY.test(key) ? [] : [CONFIG_KEY_FAULT]),
  ...(key === '.'
    ? ["must not be '.'"]
    : key === '..'
      ? ["must not be '..'"]
      : key.startsWith('..')
        ? ["must not start with '..'"]
        : []),
];
