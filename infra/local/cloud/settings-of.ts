import type { Service } from './service.ts';

/** Names of the nodes in the settings that the functions get. @throws {SyntaxError} where they are not JSON. */
export const nodeNamesOf = (service: Service): readonly string[] => {
  const settings = JSON.parse(String(service.provider.environment?.['SVK_SETTINGS'])) as {
    readonly nodes?: readonly { readonly name: string }[];
  };
  return (settings.nodes ?? []).map(({ name }) => name);
};
