import { text } from 'node:stream/consumers';
import type { KubernetesClient } from '../../../adapters/kubernetes/kubernetes-client.ts';
import { corePath } from '../../../adapters/kubernetes/paths.ts';
import { PermanentError, SvkError } from '../../../core/errors.ts';
import type { Pod } from '../../../model/kubernetes.ts';
import type { Check } from '../check.ts';
import { type Finding, fail, pass, skip } from '../finding.ts';
import type { World } from '../world.ts';

/** Whether `kubectl logs` works: a real call, through the API server, for a pod that has started. */
export const logsCheck: Check = {
  name: 'logs',
  run: async (world, signal) => {
    const operator = await world.operator();
    const pod = await somePod(world, operator, signal);
    const { namespace = '', name = '' } = pod?.metadata ?? {};
    const container = pod?.status?.containerStatuses?.find(({ state }) => state?.running || state?.terminated)?.name;
    if (container === undefined)
      return [skip('no pod has started here: apply examples/hello.yaml, then ask again with --only logs')];
    try {
      const query = { container, tailLines: '1' };
      await text(await operator.stream(corePath(namespace, 'pods', name, 'log'), { signal, query }));
      return [pass(`the API server reads the log of ${namespace}/${name}`)];
    } catch (error) {
      if (!(error instanceof SvkError)) throw error;
      return [explainLogs(error.message)];
    }
  },
};

const somePod = async (world: World, operator: KubernetesClient, signal: AbortSignal): Promise<Pod | undefined> => {
  const { pod } = world;
  if (pod !== undefined) {
    const [namespace = '', name = ''] = pod.split('/');
    if (!namespace || !name) throw new PermanentError(`--pod is "${pod}": give namespace/name`);
    return operator.get<Pod>(corePath(namespace, 'pods', name), { signal });
  }
  for (const { name } of (await world.stack()).settings.nodes) {
    const query = { fieldSelector: `spec.nodeName=${name}` };
    const { items } = await operator.list<Pod>('/api/v1/pods', { signal, query });
    const started = items.find(({ status }) =>
      status?.containerStatuses?.some(({ state }) => state?.running || state?.terminated),
    );
    if (started) return started;
  }
  return undefined;
};

interface Cause {
  readonly sign: RegExp;
  readonly why: string;
  readonly fix: string;
}

/** What stands between an API server and a kubelet, by the words API servers use. The first that fits is told. */
const CAUSES: readonly Cause[] = [
  {
    sign: /\b502\b|bad gateway|proxy error|tunnel|egress/i,
    why: 'the control plane sends its requests to kubelets through tunnels that only machines with an agent open (k3s, RKE2, Konnectivity)',
    fix: 'k3s and RKE2: start the server with --egress-selector-mode=disabled; else read logs by kubectl svk logs or in CloudWatch',
  },
  {
    sign: /x509|certificate signed by unknown authority|tls: failed to verify/i,
    why: 'the API server does not trust the certificate of the node: it has --kubelet-certificate-authority set',
    fix: 'use the stream gateway, whose certificate the cluster signs, or read logs by kubectl svk logs',
  },
  {
    sign: /no such host|server misbehaving|name resolution/i,
    why: 'the control plane cannot resolve the address of the node',
    fix: 'put InternalDNS or Hostname first in --kubelet-preferred-address-types, and let the control plane resolve public names',
  },
  {
    sign: /i\/o timeout|connection refused|no route to host|deadline exceeded|no answer within/i,
    why: 'the control plane cannot reach the address of the node',
    fix: 'let it out to TCP 443; behind a firewall, read logs by kubectl svk logs',
  },
  {
    sign: /client to provide credentials|unauthorized|\b401\b|forbidden|\b403\b|no client certificate/i,
    why: 'the kubelet API does not know who asks: without a domain that takes client certificates the API server cannot identify itself',
    fix: 'deploy with --param domainName=…, certificateArn=… and trustStore=…, or read logs by kubectl svk logs',
  },
];

/** An error of a logs call in an operator's words. */
export const explainLogs = (message: string): Finding => {
  const cause = CAUSES.find(({ sign }) => sign.test(message));
  return cause
    ? fail(`kubectl logs does not work: ${cause.why} (${message})`, cause.fix)
    : fail(`kubectl logs does not work: ${message}`, 'see the log of function kubelet-api');
};
