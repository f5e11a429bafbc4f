import type { RemoteCommandResult } from '../session.ts';

/**
 * What the error stream says at the end. From version 4 of the protocol on it is a `metav1.Status`, before that plain text
 * and nothing for success, so that an exit code can't be told.
 */
export const toStatusText = (result: RemoteCommandResult, version: number): string => {
  const status = toStatus(result);
  if (version >= 4) return JSON.stringify(status);
  return 'message' in status ? status.message : '';
};

const toStatus = (result: RemoteCommandResult) => {
  if ('message' in result) {
    return { metadata: {}, status: 'Failure', message: result.message, reason: 'InternalError', code: 500 };
  }
  const { exitCode } = result;
  if (exitCode === 0) return { metadata: {}, status: 'Success' };
  // Clients take the number for a process's exit code: one out of range must not wrap around to success.
  const shown = exitCode > 0 && exitCode < 256 ? exitCode : 255;
  return {
    metadata: {},
    status: 'Failure',
    message: `command terminated with non-zero exit code: exit status ${shown}`,
    reason: 'NonZeroExitCode',
    details: { causes: [{ reason: 'ExitCode', message: String(shown) }] },
  };
};
