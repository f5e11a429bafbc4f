/** Whole seconds as Go prints a duration: `40s`, `1m20s`, `5m0s`, `4h0m0s`. */
export const goDuration = (seconds: number): string => {
  const [hours, minutes, rest] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60, seconds % 60];
  if (hours > 0) return `${hours}h${minutes}m${rest}s`;
  return minutes > 0 ? `${minutes}m${rest}s` : `${rest}s`;
};
