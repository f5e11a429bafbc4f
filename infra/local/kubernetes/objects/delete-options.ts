/** `metav1.DeleteOptions` as far as it counts here; undefined is "not said". */
export interface DeleteOptions {
  readonly gracePeriodSeconds?: number | undefined;
  readonly preconditions?:
    | { readonly uid?: string | undefined; readonly resourceVersion?: string | undefined }
    | undefined;
  readonly isDryRun: boolean;
}
