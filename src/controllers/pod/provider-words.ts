// Reasons of events and statuses that name the provider as users know it, and are neutral where it has no such name.

/** For everything that says a pod asks for what cannot be had here. */
export const unsupportedReason = (title: string | undefined): string =>
  title === undefined ? UNSUPPORTED : `${UNSUPPORTED}On${title}`;

export const isUnsupported = (reason: string): boolean => reason.startsWith(UNSUPPORTED);

/** For what of a pod is left out or done differently. */
export const ignoredReason = (title: string | undefined): string =>
  title === undefined ? 'Ignored' : `IgnoredOn${title}`;

/** For the size that was chosen for a pod. */
export const sizeReason = (title: string | undefined): string => `${title ?? ''}Size`;

const UNSUPPORTED = 'Unsupported';
