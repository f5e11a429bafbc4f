import { randomUUID } from 'node:crypto';

/** A name no other test uses: a real server keeps what earlier ones left. */
export const unique = (prefix: string): string => `${prefix}-${randomUUID().slice(0, 8)}`;
