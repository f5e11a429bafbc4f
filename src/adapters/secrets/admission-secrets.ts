import { PermanentError } from '../../core/errors.ts';

/**
 * The secrets the admission webhook's path may hold: words apart by white space, the current one first, the one before
 * it as long as the API server may still use it (rotation). `source` names where the text comes from.
 * @throws {PermanentError} where there is none, or one is shorter than the 128 bits it must have.
 */
export const parseAdmissionSecrets = (text: string, source: string): readonly string[] => {
  const secrets = text.split(/\s+/).filter((word) => word !== '');
  if (secrets.length === 0) throw new PermanentError(`${source} is empty: store 32 hexadecimal digits of chance`);
  const faulty = secrets.findIndex((secret) => !/^[\w-]{22,}$/.test(secret));
  if (faulty !== -1) {
    throw new PermanentError(
      `${source}: word ${faulty + 1} must be at least 22 letters, digits, - or _: store 32 hexadecimal digits of chance`,
    );
  }
  return secrets;
};
