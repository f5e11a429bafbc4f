/** One page of a listing, and the token of the next where there is one. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly nextToken?: string;
}

/** Cuts `items` after the place `token` names. An undefined result means the token is not ours. */
export const pageOf = <T>(items: readonly T[], token: string | undefined, size: number): Page<T> | undefined => {
  const start = token === undefined ? 0 : placeOf(token);
  if (start === undefined) return undefined;
  const end = start + size;
  return { items: items.slice(start, end), ...(end < items.length ? { nextToken: tokenOf(end) } : {}) };
};

const tokenOf = (place: number): string => Buffer.from(`page:${place}`).toString('base64url');

const placeOf = (token: string): number | undefined => {
  const match = /^page:(\d+)$/.exec(Buffer.from(token, 'base64url').toString());
  return match ? Number(match[1]) : undefined;
};
