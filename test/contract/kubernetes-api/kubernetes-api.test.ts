import { afterAll } from 'vitest';
import { KubernetesClient } from '../../../src/adapters/kubernetes/kubernetes-client.ts';
import { SystemClock } from '../../../src/adapters/system/system-clock.ts';
import { clientWorld } from '../kubernetes/client-world.ts';
import { describeKubernetes } from '../kubernetes/describe-kubernetes.ts';
import { describeKubernetesApi } from './describe-kubernetes-api.ts';
import { type Embedded, startEmbedded } from './embedded.ts';
import { RawApi } from './raw-api.ts';

let running: Promise<Embedded> | undefined;
const embedded = (): Promise<Embedded> => {
  running ??= startEmbedded();
  return running;
};
afterAll(async () => (await running)?.stop());

describeKubernetesApi('the local cloud', async () => {
  const { url, certificateAuthority, token } = (await embedded()).kubernetes;
  return new RawApi({ server: url, certificateAuthority, token });
});

describeKubernetes('the local cloud', async () => {
  const { kubernetes, api } = await embedded();
  const { url, certificateAuthority, token } = kubernetes;
  // The suite's pods are compared whole, as a server without ServiceAccount admission serves them.
  await api.patch('/api/v1/namespaces/default/serviceaccounts/default', 'merge', {
    automountServiceAccountToken: false,
  });
  const client = new KubernetesClient({ server: url, certificateAuthority, token }, { clock: new SystemClock() });
  return clientWorld(client, async () => undefined);
});
