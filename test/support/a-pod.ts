import type { Container, ObjectMeta, Pod, PodSpec } from '../../src/model/kubernetes.ts';

/** What a test wants to be special about a pod; everything else is ordinary. */
export interface PodWish extends Omit<Partial<PodSpec>, 'containers'> {
  readonly name?: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly metadata?: Partial<ObjectMeta>;
  readonly containers?: readonly Partial<Container>[];
  readonly status?: Pod['status'];
}

/** A pod as the API server answers it: `web` in `default`, one container `main`, bound to node `fargate`. */
export const aPod = ({
  name = 'web',
  namespace = 'default',
  uid,
  metadata,
  containers,
  status,
  ...spec
}: PodWish = {}): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace, ...(uid !== undefined && { uid }), ...metadata },
  spec: {
    nodeName: 'fargate',
    restartPolicy: 'Always',
    terminationGracePeriodSeconds: 30,
    enableServiceLinks: false,
    ...spec,
    containers: (containers ?? [{}]).map((container) => ({ name: 'main', image: 'nginx:1.27', ...container })),
  },
  ...(status && { status }),
});
