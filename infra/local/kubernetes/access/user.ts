import type { UserInfo } from '../../../../src/ports/kubernetes.ts';

export type { UserInfo };

/** The API's own controllers act as this user. */
export const SYSTEM: UserInfo = { username: 'system:apiserver', groups: ['system:masters'] };
