import type { LaunchRequest, LaunchToken } from '../../src/model/launch.ts';

/** The token under which a launch of the fake provider goes out. */
export const tokenOf = ({ body }: LaunchRequest): LaunchToken => {
  const { token } = JSON.parse(body) as { readonly token: LaunchToken };
  return token;
};

export const podOfLaunch = (request: LaunchRequest): string => {
  const { podUid, attempt, try: count } = tokenOf(request);
  return `${podUid} ${attempt}.${count}`;
};

/** Which pod a call is about, as far as its first argument tells. Empty for calls about none or many. */
export const podOfCall = (call: string, args: readonly unknown[]): string => {
  const [first, second] = args;
  if (call === 'provider.launch') return podOfLaunch(first as LaunchRequest);
  if (call === 'pods.get') return String(second);
  if (typeof first === 'string') return first;
  if (typeof first !== 'object' || first === null) return '';
  if ('podUid' in first) return String(first.podUid);
  return 'uid' in first ? String(first.uid) : '';
};
