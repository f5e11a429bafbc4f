import { given, type Parsed, refused } from './value.ts';

const EXPORTERS: readonly string[] = ['otlp', 'console'];

/** virtual-kubelet's, which nobody maintains any more, and what stands in for them. */
const FORMER: Readonly<Record<string, string>> = {
  jaeger: 'otlp, with OTEL_EXPORTER_OTLP_ENDPOINT=http://JAEGER:4318 (Jaeger takes OTLP itself)',
  ocagent: 'otlp, with OTEL_EXPORTER_OTLP_ENDPOINT=http://COLLECTOR:4318',
  zpages: 'console, or otlp to something that shows traces',
};

/** Names of exporters, separated by commas. */
export const parseExporters = (texts: readonly string[]): Parsed<readonly string[]> => {
  const names = texts.flatMap((text) => text.split(',')).filter((name) => name !== '');
  for (const name of names) {
    const instead = Object.hasOwn(FORMER, name) ? FORMER[name] : undefined;
    if (instead !== undefined) return refused(`${name} is not offered any more: use ${instead}`);
    if (!EXPORTERS.includes(name)) return refused(`must be ${EXPORTERS.join(' or ')}, not "${name}"`);
  }
  return given([...new Set(names)]);
};

/** Set by us on every trace. */
const RESERVED = ['operatingSystem', 'provider', 'nodeName'];

/** `key=value`, once for each key. */
export const parseTags = (texts: readonly string[]): Parsed<Readonly<Record<string, string>>> => {
  const tags = new Map<string, string>();
  for (const text of texts.flatMap((one) => one.split(','))) {
    const at = text.indexOf('=');
    const key = text.slice(0, Math.max(at, 0)).trim();
    if (key === '') return refused(`must be key=value, not "${text}"`);
    if (RESERVED.includes(key)) return refused(`must not set ${key}: it is set for every trace`);
    if (tags.has(key)) return refused(`gives ${key} twice`);
    tags.set(key, text.slice(at + 1));
  }
  return given(Object.fromEntries(tags));
};

/** `always`, `never`, or a percentage from 0 to 100; as a share from 0 to 1. Empty: undefined. */
export const parseSampleRate = (text: string): Parsed<number | undefined> => {
  if (text === '') return given(undefined);
  if (text === 'always') return given(1);
  if (text === 'never') return given(0);
  return /^\d{1,3}$/.test(text) && Number(text) <= 100
    ? given(Number(text) / 100)
    : refused(`must be always, never or a whole percentage from 0 to 100, not "${text}"`);
};
