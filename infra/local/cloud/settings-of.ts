import { PROVIDERS } from '../../../src/app/providers.ts';
import { parseSettings } from '../../../src/config/settings.ts';
import type { Service } from './service.ts';

/**
 * Names of the nodes in the settings that the functions get.
 * @throws {PermanentError} whose message lists every fault of the settings file.
 */
export const nodeNamesOf = (service: Service): readonly string[] => {
  const settings = parseSettings(
    String(service.provider.environment?.['SVK_SETTINGS']),
    PROVIDERS,
    'the settings file',
  );
  return settings.nodes.map(({ name }) => name);
};
