import type { KubeletResponse } from './http.ts';

/** Figures of one name in Prometheus' text format. */
export interface Family {
  readonly name: string;
  readonly type: 'counter' | 'gauge';
  readonly help: string;
  readonly samples: readonly Sample[];
}

export interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
  /** When the figure was taken, in milliseconds since the epoch. */
  readonly at?: number;
}

/** The answer of a path that is scraped, in Prometheus' text format 0.0.4. Families without figures are left out. */
export const metrics = (families: readonly Family[]): KubeletResponse => metricsText(families.map(familyText).join(''));

/** The same of a text that is rendered already. */
export const metricsText = (body: string): KubeletResponse => ({
  status: 200,
  headers: { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' },
  body,
});

const familyText = ({ name, type, help, samples }: Family): string =>
  samples.length === 0
    ? ''
    : [
        `# HELP ${name} ${help}`,
        `# TYPE ${name} ${type}`,
        ...samples.map((sample) => sampleText(name, sample)),
        '',
      ].join('\n');

const sampleText = (name: string, { labels, value, at }: Sample): string => {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escape(text)}"`);
  return `${name}${pairs.length === 0 ? '' : `{${pairs.join(',')}}`} ${value}${at === undefined ? '' : ` ${at}`}`;
};

const escape = (text: string): string => text.replace(/[\\"\n]/g, (one) => (one === '\n' ? '\\n' : `\\${one}`));
