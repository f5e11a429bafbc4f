import { FakeKubernetes } from '../../fakes/kubernetes/fake-kubernetes.ts';
import { describeKubernetes } from './describe-kubernetes.ts';

describeKubernetes('fake', async () => {
  const kubernetes = new FakeKubernetes();
  kubernetes.allowAccess(({ groups }) => groups.includes('system:masters'));
  return {
    kubernetes,
    others: {
      createPod: async (pod) => kubernetes.addPod(pod),
      bindPod: async (namespace, name, node) => void kubernetes.bindPod(namespace, name, node),
      deletePod: async (namespace, name, graceSeconds) => kubernetes.deletePod(namespace, name, graceSeconds),
      patchNode: async (name, change) => void kubernetes.updateNode(name, change),
      deleteLease: async (name) => kubernetes.deleteLease(name),
      createConfigMap: async (namespace, name, data) => kubernetes.putConfigMap(namespace, name, data),
      createSecret: async (namespace, name, data) => kubernetes.putSecret(namespace, name, data),
      createService: async (service) => kubernetes.putService(service),
    },
    close: async () => undefined,
  };
});
