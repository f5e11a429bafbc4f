import type { Node, Pod, Service } from '../../../src/model/kubernetes.ts';
import type { Kubernetes } from '../../../src/ports/kubernetes.ts';

/** An API server and somebody else who uses it. */
export interface KubernetesWorld {
  readonly kubernetes: Kubernetes;
  readonly others: {
    createPod(pod: Pod): Promise<Pod>;
    bindPod(namespace: string, name: string, node: string): Promise<void>;
    /** With the pod's own grace period where `graceSeconds` is left out. */
    deletePod(namespace: string, name: string, graceSeconds?: number): Promise<void>;
    patchNode(name: string, patch: (node: Node) => Node): Promise<void>;
    deleteLease(name: string): Promise<void>;
    createConfigMap(namespace: string, name: string, data: Record<string, string>): Promise<void>;
    createSecret(namespace: string, name: string, data: Record<string, string>): Promise<void>;
    createService(service: Service): Promise<void>;
  };
  close(): Promise<void>;
}
