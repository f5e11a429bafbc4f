import type { KubeletRequest } from './http.ts';

/**
 * Why a command cannot be passed on exactly as it was asked for; undefined where it can. A kubelet takes any bytes but NUL;
 * here arguments are texts, and one that is none must not reach a program changed.
 */
export const faultOfCommand = (
  command: readonly string[],
  { garbled = false }: Pick<KubeletRequest, 'garbled'>,
): string | undefined => {
  if (command.some((argument) => argument.includes('\0')))
    return 'the command holds a NUL character, which no program can be given';
  return garbled ? 'the command is no UTF-8: only that is passed on as it is' : undefined;
};
