/** A place between two events of a stream: behind the event (forward) or before it (backward). */
export interface Place {
  readonly timestamp: number;
  readonly sequence: number;
}

export interface LogToken {
  readonly direction: 'f' | 'b';
  readonly place: Place;
  /** How many empty pages led here: each has a token of its own. */
  readonly empties: number;
  readonly issuedAt: number;
}

/** Tokens look like the service's: `f/` or `b/`, digits, `/s`. */
export const writeToken = ({ direction, place, empties, issuedAt }: LogToken): string =>
  `${direction}/${digits(place.timestamp, 15)}${digits(place.sequence, 15)}${digits(empties, 6)}${digits(issuedAt, 15)}/s`;

/** Undefined where the token is not one of ours. */
export const readToken = (text: string): LogToken | undefined => {
  const match = /^([fb])\/(\d{15})(\d{15})(\d{6})(\d{15})\/s$/.exec(text);
  if (!match) return undefined;
  return {
    direction: match[1] === 'b' ? 'b' : 'f',
    place: { timestamp: Number(match[2]), sequence: Number(match[3]) },
    empties: Number(match[4]),
    issuedAt: Number(match[5]),
  };
};

/** Order of two places, as for sorting. */
export const comparePlaces = (a: Place, b: Place): number => a.timestamp - b.timestamp || a.sequence - b.sequence;

const digits = (value: number, length: number): string => String(Math.max(0, value)).padStart(length, '0');
