import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';

/** What clients of the local cloud sign with: known to this run and to whoever may read its directory. */
export interface LocalCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** The file in the local cloud's directory that tells where it is and what to sign with. */
export const AWS_FILE = 'aws.json';

/** What that file holds. */
export interface AwsFile extends LocalCredentials {
  /** ECS, CloudWatch Logs, SSM, Secrets Manager and the faults. */
  readonly url: string;
  readonly region: string;
}

/**
 * 128 bits of chance. Without it every user of this machine could run commands as the one who started the local cloud: by
 * RunTask, or by rows and messages that lead to it.
 */
export const newCredentials = (): LocalCredentials => ({
  accessKeyId: `LOCAL${randomBytes(16).toString('hex').toUpperCase()}`,
  // Signatures are checked by nobody: the id alone is the secret.
  secretAccessKey: 'local',
});

/** Writes it for the person who started the cloud alone. */
export const writeAwsFile = (directory: string, content: AwsFile): void => {
  mkdirSync(directory, { recursive: true });
  const path = join(directory, AWS_FILE);
  writeFileSync(path, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
  // The mode above is for a new file.
  chmodSync(path, 0o600);
};

/** True where the request is signed with this key id, in its header or, presigned, in its query. */
export const isSignedWith = (
  accessKeyId: string,
  { headers, url = '' }: Pick<IncomingMessage, 'headers' | 'url'>,
): boolean =>
  (headers.authorization ?? '').includes(`Credential=${accessKeyId}/`) ||
  new RegExp(`[?&]X-Amz-Credential=${accessKeyId}(?:%2F|/)`).test(url);
