import type { Clock, Random } from '../../../src/core/clock.ts';
import type { ServiceAccountTokens } from './access/service-account-tokens.ts';
import type { AdmissionWebhook } from './admission-webhook.ts';
import type { AppliedConfigurations } from './patch/applied-configurations.ts';
import type { Store } from './store/store.ts';
import type { KubeletClient } from './subresources/kubelet-client.ts';

/** What requests and controllers share. */
export interface Api {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly webhook: AdmissionWebhook;
  readonly tokens: ServiceAccountTokens;
  readonly applied: AppliedConfigurations;
  readonly kubelet: KubeletClient;
  /** Aborts when the server closes: watches and background work end. */
  readonly closing: AbortSignal;
}
