import { Network } from '../../src/adapters/ec2/network.ts';
import { PROVIDERS } from '../../src/app/providers.ts';
import { examineProfiles } from '../../src/cli/doctor/checks/subnets.ts';
import { parseSettings } from '../../src/config/settings.ts';
import { SvkError } from '../../src/core/errors.ts';

const LIMIT_MS = 15_000;

/**
 * What `svk doctor` would say of the profiles' subnets, while there is still time: tasks without a way out never start, and
 * the deployment looks fine. It only warns: who deploys may lack the rights to look. `settings`: as the functions get them.
 */
export const subnetWarnings = async (settings: string, region: string): Promise<readonly string[]> => {
  const { profiles } = parseSettings(settings, PROVIDERS).providerSettings;
  const network = Network.at({ region });
  try {
    const findings = await examineProfiles(profiles, (ids) => network.facts(ids, AbortSignal.timeout(LIMIT_MS)));
    return findings.flatMap(({ status, message, fix }) => (status === 'pass' ? [] : [`${message}: ${fix}`]));
  } catch (error) {
    if (!(error instanceof SvkError)) throw error;
    return [`the subnets could not be looked at (${error.message}): svk doctor --only subnets asks again`];
  }
};
