const DATE_TIME = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(\.\d+)?(Z|[+-]\d{2}:\d{2})$/;

const TIME_LAYOUT = '2006-01-02T15:04:05Z07:00';
const MICRO_LAYOUT = '2006-01-02T15:04:05.000000Z07:00';

/** A time or why it is none, in the words of Go's time.Parse. */
export type ParsedTime =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly message: string };

/** `metav1.Time`: any RFC 3339 time, kept in UTC with whole seconds. */
export const parseTime = (text: string): ParsedTime => {
  const match = DATE_TIME.exec(text);
  const at = match ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? refuse(text, TIME_LAYOUT, text, '2006') : { ok: true, text: formatTime(at) };
};

/** `metav1.MicroTime`: exactly six fractional digits; anything else is refused, as the real server refuses it. */
export const parseMicroTime = (text: string): ParsedTime => {
  const match = DATE_TIME.exec(text);
  const at = match ? Date.parse(text) : Number.NaN;
  if (!match || Number.isNaN(at)) return refuse(text, MICRO_LAYOUT, text, '2006');
  const [, , fraction = '', zone = ''] = match;
  if (fraction.length < 7) return refuse(text, MICRO_LAYOUT, `${fraction}${zone}`, '.000000');
  if (fraction.length > 7) return refuse(text, MICRO_LAYOUT, `${fraction.slice(7)}${zone}`, 'Z07:00');
  return { ok: true, text: `${new Date(at).toISOString().slice(0, 19)}${fraction}Z` };
};

/** Milliseconds since the epoch as `metav1.Time` writes them. */
export const formatTime = (at: number): string => `${new Date(at).toISOString().slice(0, 19)}Z`;

/** Milliseconds since the epoch as `metav1.MicroTime` writes them. */
export const formatMicroTime = (at: number): string => `${new Date(at).toISOString().slice(0, 23)}000Z`;

const refuse = (text: string, layout: string, rest: string, expected: string): ParsedTime => ({
  ok: false,
  message: `parsing time "${text}" as "${layout}": cannot parse "${rest}" as "${expected}"`,
});
