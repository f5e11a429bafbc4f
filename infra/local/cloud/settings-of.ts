import { PROVIDERS } from '../../../src/app/providers.ts';
import { parseSettings, type Settings } from '../../../src/config/settings.ts';
import type { Service } from './service.ts';

/**
 * The settings that the functions get.
 * @throws {PermanentError} whose message lists every fault of the settings file.
 */
export const settingsOf = (service: Service): Settings<unknown> =>
  parseSettings(String(service.provider.environment?.['SVK_SETTINGS']), PROVIDERS, 'the settings file');

/** Names of the nodes in them. */
export const nodeNamesOf = (service: Service): readonly string[] => settingsOf(service).nodes.map(({ name }) => name);
