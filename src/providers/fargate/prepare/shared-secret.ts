import { sha256Hex } from '../../../core/digest.ts';

/** A secret value on its way to a task, by the path it is kept under. In memory only: never stored, logged or shown. */
export interface SharedSecret {
  readonly path: string;
  readonly value: string;
}

/** Whose pods may share a value. */
export interface SecretScope {
  readonly deployment: string;
  readonly namespace: string;
}

/**
 * Names a value after the Secret it comes from, its key and its content, so that replicas share it and a changed Secret
 * gets a new one. The digest is salted with the name and cut to 64 bits: it tells values apart and is no help in guessing
 * them elsewhere.
 */
export const sharedSecret = (
  value: string,
  { secret, key }: { readonly secret: string; readonly key: string },
  { deployment, namespace }: SecretScope,
): SharedSecret => {
  const folder = `/svk/${deployment}/${namespace}/${secret}`;
  return { path: `${folder}/${sha256Hex(`${folder}/${key}\0${value}`, 16)}/${key}`, value };
};
