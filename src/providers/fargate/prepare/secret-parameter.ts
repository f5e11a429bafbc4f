import { sha256Hex } from '../../../core/digest.ts';
import type { ResolvedVariable } from '../../../model/environment.ts';

/** A value that reaches the task as an SSM SecureString. In memory only: never stored, logged or shown. */
export interface SecretParameter {
  readonly path: string;
  readonly value: string;
}

/** SSM holds no more than this in one parameter (advanced tier). */
export const MAX_PARAMETER_BYTES = 8192;

/**
 * Names the parameter after Secret, key and content, so that replicas share it and a changed Secret gets a new one. The
 * digest is salted with the name and cut to 64 bits: it tells values apart and is no help in guessing them elsewhere.
 */
export const secretParameter = (
  { value, secret, name }: ResolvedVariable,
  { deployment, namespace }: { readonly deployment: string; readonly namespace: string },
): SecretParameter => {
  const { name: object, key } = secret ?? { name: 'expanded', key: name };
  const folder = `/svk/${deployment}/${namespace}/${object}`;
  return { path: `${folder}/${sha256Hex(`${folder}/${key}\0${value}`, 16)}/${key}`, value };
};
