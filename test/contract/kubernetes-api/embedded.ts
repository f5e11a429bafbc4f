import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type EmbeddedKubernetes,
  type EmbeddedKubernetesOptions,
  startEmbeddedKubernetes,
} from '../../../infra/local/kubernetes/server.ts';
import { RawApi } from './raw-api.ts';

/** An embedded API in a folder of its own, and a client of it. */
export interface Embedded {
  readonly kubernetes: EmbeddedKubernetes;
  readonly api: RawApi;
  stop(): Promise<void>;
}

export const startEmbedded = async (options: Partial<EmbeddedKubernetesOptions> = {}): Promise<Embedded> => {
  const directory = await mkdtemp(join(tmpdir(), 'svk-embedded-'));
  const kubernetes = await startEmbeddedKubernetes({ directory, ...options });
  const { url: server, certificateAuthority, token } = kubernetes;
  const api = new RawApi({ server, certificateAuthority, token });
  return {
    kubernetes,
    api,
    stop: async () => {
      api.close();
      await kubernetes.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
};
