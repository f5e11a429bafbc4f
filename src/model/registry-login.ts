/** A login for the registry of one container's image. In memory only: never stored, logged or shown. */
export interface RegistryLogin {
  /** Name of the Secret it comes from, in the pod's namespace. */
  readonly secret: string;
  readonly username: string;
  readonly password: string;
}
