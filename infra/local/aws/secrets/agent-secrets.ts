import * as z from 'zod/mini';
import { type SecretStore, versionOf } from './secret-store.ts';

/** In the agent's words; never the value. */
export class SecretUnreadable extends Error {
  override readonly name = 'SecretUnreadable';
}

const members = z.record(z.string(), z.unknown());

/**
 * A secret as the ECS agent reads it for a container: `valueFrom` is its ARN, which may go on with
 * `:json-key:version-stage:version-id`, each of them empty where it is not used (ECS developer guide, "Pass Secrets
 * Manager secrets through environment variables").
 * @throws {SecretUnreadable}
 */
export const secretForContainer = (store: SecretStore, valueFrom: string): string => {
  const parts = valueFrom.split(':');
  const arn = parts.slice(0, 7).join(':');
  const [key = '', stage = '', id = ''] = parts.slice(7);
  const secret = store.find(arn);
  const version = secret?.deletedAt === undefined && secret && versionOf(secret, id || undefined, stage || undefined);
  if (!version || !('text' in version.value)) {
    throw new SecretUnreadable(
      `service call has been retried 1 time(s): failed to fetch secret ${arn} from secrets manager: ResourceNotFoundException: Secrets Manager can't find the specified secret.`,
    );
  }
  if (key === '') return version.value.text;
  const found = memberOf(version.value.text, key);
  if (found !== undefined) return typeof found === 'string' ? found : JSON.stringify(found);
  throw new SecretUnreadable(`retrieved secret from Secrets Manager did not contain json key ${key}`);
};

const memberOf = (text: string, key: string): unknown => {
  try {
    const all = z.parse(members, JSON.parse(text));
    return Object.hasOwn(all, key) ? all[key] : undefined;
  } catch {
    return undefined;
  }
};
