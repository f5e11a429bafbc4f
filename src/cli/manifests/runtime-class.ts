import type { Manifest } from './manifest.ts';

/**
 * `runtimeClassName: fargate` sends a pod to a virtual node: the node selector and the toleration it needs come with it
 * (Kubernetes: "Runtime Class", scheduling). The handler is never looked up: there is no container runtime.
 */
export const toRuntimeClass = (): Manifest => ({
  apiVersion: 'node.k8s.io/v1',
  kind: 'RuntimeClass',
  metadata: { name: 'fargate' },
  handler: 'fargate',
  scheduling: {
    nodeSelector: { type: 'virtual-kubelet', 'eks.amazonaws.com/compute-type': 'fargate' },
    tolerations: [{ key: 'virtual-kubelet.io/provider', operator: 'Equal', value: 'fargate', effect: 'NoSchedule' }],
  },
});
