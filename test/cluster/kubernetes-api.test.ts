import { afterAll, beforeAll } from 'vitest';
import { credentialsFromKubeconfig } from '../../src/adapters/kubernetes/credentials-from-kubeconfig.ts';
import { describeKubernetesApi } from '../contract/kubernetes-api/describe-kubernetes-api.ts';
import { RawApi } from '../contract/kubernetes-api/raw-api.ts';
import { type ControlPlane, startControlPlane } from '../support/control-plane.ts';

let plane: ControlPlane | undefined;
beforeAll(async () => {
  plane = await startControlPlane();
});
afterAll(() => plane?.remove());

describeKubernetesApi('kube-apiserver', async () => {
  if (!plane) throw new Error('the control plane does not run');
  return new RawApi(await credentialsFromKubeconfig(plane.kubeconfig));
});
