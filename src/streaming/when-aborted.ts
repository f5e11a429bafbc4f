/** Acts as soon as `signal` has aborted, unless `until` aborts before. */
export const whenAborted = (signal: AbortSignal, act: () => void, until?: AbortSignal): void => {
  if (signal.aborted) act();
  else signal.addEventListener('abort', act, { once: true, ...(until === undefined ? {} : { signal: until }) });
};
