import type { ContainerSpec } from '../runtime.ts';

/**
 * What stands in for an image whose own command is not known here: one line that says so, then nothing until SIGTERM, on
 * which it ends with 0 as well-behaved servers do.
 */
export const placeholderFor = ({ name, image }: Pick<ContainerSpec, 'name' | 'image'>): readonly string[] => [
  '/bin/sh',
  '-c',
  `trap 'exit 0' TERM; printf '%s\\n' "$1"; sleep 2147483647 & wait`,
  'placeholder',
  `container "${name}" names no command: this process stands for image ${image}, which the process runtime cannot run. Give it a command, or use a runtime with real containers.`,
];
