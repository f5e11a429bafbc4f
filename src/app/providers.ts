import type { Providers } from '../config/settings.ts';
import { type FargateSettings, parseFargateSettings } from '../providers/fargate/settings.ts';

/** What `provider:` in the settings may say, and which of the other keys are that provider's own. */
export const PROVIDERS: Providers<FargateSettings> = {
  fargate: { keys: ['profiles'], parse: parseFargateSettings },
};
