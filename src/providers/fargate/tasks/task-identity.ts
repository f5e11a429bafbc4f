import { sha256Hex } from '../../../core/digest.ts';
import type { LaunchToken } from '../../../model/launch.ts';

const MAX_TOKEN_LENGTH = 64;

/** RunTask's `startedBy`: whose cluster and which pod. Survives everything, tags do not. */
export const startedByOf = (clusterHash: string, podUid: string): string => `svk/${clusterHash}/${podUid}`;

/** RunTask's `group`: which attempt and which try. */
export const groupOf = ({ attempt, try: tryNumber }: LaunchToken): string => `svk:${attempt}.${tryNumber}`;

/** RunTask's `clientToken`: at most 64 characters; equal launches have equal tokens, others have others. */
export const clientTokenOf = ({ podUid, attempt, try: tryNumber }: LaunchToken): string => {
  const readable = `${podUid}.${attempt}.${tryNumber}`;
  return readable.length <= MAX_TOKEN_LENGTH && /^[!-~]+$/.test(readable)
    ? readable
    : sha256Hex(readable, MAX_TOKEN_LENGTH);
};

export interface TaskIdentity {
  readonly clusterHash: string;
  readonly podUid: string;
  readonly attempt: number;
  readonly try: number;
}

/** What `startedBy` and `group` say; undefined for tasks that are not ours. */
export const identityOf = (startedBy: string | undefined, group: string | undefined): TaskIdentity | undefined => {
  const [, clusterHash, podUid] = /^svk\/([^/]+)\/([^/]+)$/.exec(startedBy ?? '') ?? [];
  const [, attempt, tryNumber] = /^svk:(\d+)\.(\d+)$/.exec(group ?? '') ?? [];
  return clusterHash === undefined || podUid === undefined || attempt === undefined || tryNumber === undefined
    ? undefined
    : { clusterHash, podUid, attempt: Number(attempt), try: Number(tryNumber) };
};
