import { goDuration } from '../core/go-duration.ts';
import type { KubeletResponse } from './http.ts';
import { json } from './responses.ts';

/** What of a kubelet's configuration (kubelet.config.k8s.io/v1beta1) an endpoint can say. Durations in milliseconds. */
export interface KubeletConfiguration {
  readonly address?: string;
  readonly port?: number;
  readonly clusterDomain?: string;
  readonly maxPods?: number;
  readonly anonymous: boolean;
  readonly streamIdleTimeoutMs?: number;
  readonly providerID?: string;
  /** How often the status of the node is written where nothing has changed. */
  readonly statusUpdateMs: number;
}

/**
 * `GET /configz`: kubelet's `{"kubeletconfig": …}` with the fields that mean something here, so that tools which read it of
 * every node find its shape. Cache times are those of the authenticator and the authorizer.
 */
export const getConfigz = ({
  address,
  port,
  clusterDomain,
  maxPods,
  anonymous,
  streamIdleTimeoutMs,
  providerID,
  statusUpdateMs,
}: KubeletConfiguration): KubeletResponse =>
  json(200, {
    kubeletconfig: {
      enableServer: true,
      ...(address !== undefined && { address }),
      ...(port !== undefined && { port }),
      authentication: {
        x509: {},
        webhook: { enabled: true, cacheTTL: '2m0s' },
        anonymous: { enabled: anonymous },
      },
      authorization: {
        mode: anonymous ? 'AlwaysAllow' : 'Webhook',
        webhook: { cacheAuthorizedTTL: '5m0s', cacheUnauthorizedTTL: '30s' },
      },
      ...(clusterDomain !== undefined && { clusterDomain }),
      ...(streamIdleTimeoutMs !== undefined && { streamingConnectionIdleTimeout: secondsText(streamIdleTimeoutMs) }),
      nodeStatusUpdateFrequency: secondsText(statusUpdateMs),
      nodeLeaseDurationSeconds: LEASE_SECONDS,
      ...(maxPods !== undefined && { maxPods }),
      ...(providerID !== undefined && { providerID }),
      enableDebuggingHandlers: true,
      enableSystemLogHandler: false,
      registerNode: true,
      serverTLSBootstrap: false,
    },
  });

const LEASE_SECONDS = 40;

const secondsText = (ms: number): string => goDuration(Math.round(ms / 1_000));
