/** What `--runtime` takes. */
export const RUNTIME_NAMES = ['docker', 'process', 'simulated'] as const;
export type RuntimeName = (typeof RUNTIME_NAMES)[number];
