/** `duration.HumanDuration` of apimachinery: the short age kubectl shows. */
export const humanDuration = (ms: number): string => {
  const seconds = Math.trunc(ms / 1_000);
  if (seconds < -1) return '<invalid>';
  if (seconds < 0) return '0s';
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.trunc(seconds / 60);
  if (minutes < 10) return joined(minutes, 'm', seconds % 60, 's');
  if (minutes < 180) return `${minutes}m`;
  const hours = Math.trunc(minutes / 60);
  if (hours < 8) return joined(hours, 'h', minutes % 60, 'm');
  if (hours < 48) return `${hours}h`;
  if (hours < 192) return joined(Math.trunc(hours / 24), 'd', hours % 24, 'h');
  if (hours < 8_760 * 2) return `${Math.trunc(hours / 24)}d`;
  if (hours < 8_760 * 8) return joined(Math.trunc(hours / 8_760), 'y', Math.trunc(hours / 24) % 365, 'd');
  return `${Math.trunc(hours / 8_760)}y`;
};

/** The age of a time stamp at `now`; `<unknown>` where there is none. */
export const ageOf = (timestamp: string | null | undefined, now: number): string =>
  timestamp ? humanDuration(now - Date.parse(timestamp)) : '<unknown>';

const joined = (large: number, largeUnit: string, small: number, smallUnit: string): string =>
  small === 0 ? `${large}${largeUnit}` : `${large}${largeUnit}${small}${smallUnit}`;
