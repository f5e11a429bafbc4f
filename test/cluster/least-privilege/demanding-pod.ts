import type { Pod } from '../../../src/model/kubernetes.ts';

/** A pod whose environment refers to everything that one may, bound from the start. */
export const demandingPod = (node: string, name: string): Pod => ({
  metadata: { name },
  spec: {
    nodeName: node,
    automountServiceAccountToken: false,
    tolerations: [{ operator: 'Exists' }],
    enableServiceLinks: true,
    containers: [
      {
        name: 'main',
        image: 'busybox',
        envFrom: [{ configMapRef: { name: 'settings' } }, { secretRef: { name: 'keys' } }],
      },
    ],
  },
});
