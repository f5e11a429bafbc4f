import { leasePath, nodePath } from '../../../adapters/kubernetes/paths.ts';
import { DEPLOYMENT_ANNOTATION } from '../../../controllers/node/node-definition.ts';
import { ignoreNotFound } from '../../../core/errors.ts';
import type { Lease, Node } from '../../../model/kubernetes.ts';
import type { Check } from '../check.ts';
import { type Finding, fail, pass, warn } from '../finding.ts';

/** Renewals come every ten seconds; the control plane gives a node up after forty. */
const LATE_S = 25;
const LOST_S = 40;

/** Whether each node is there, ours, Ready, and its lease fresh. */
export const nodesCheck: Check = {
  name: 'nodes',
  run: async (world, signal) => {
    const { nodes } = (await world.stack()).settings;
    const operator = await world.operator();
    const findings = nodes.map(async ({ name }) => {
      const node = await ignoreNotFound(operator.get<Node>(nodePath(name), { signal }));
      const lease = await ignoreNotFound(operator.get<Lease>(leasePath(name), { signal }));
      const now = world.now() + (world.clusterAheadMs() ?? 0);
      return judgeNode({ name, node, lease, deployment: world.deployment, now });
    });
    return (await Promise.all(findings)).flat();
  },
};

export const judgeNode = ({
  name,
  node,
  lease,
  deployment,
  now,
}: {
  readonly name: string;
  readonly node: Node | undefined;
  readonly lease: Lease | undefined;
  readonly deployment: string;
  /** By the control plane's clock. */
  readonly now: number;
}): readonly Finding[] => {
  const log = `see the log of function svk-${deployment}-node-heartbeat`;
  if (node === undefined)
    return [fail(`node ${name} is not registered`, `wait two minutes after the deployment, then ${log}`)];
  const owner = node.metadata?.annotations?.[DEPLOYMENT_ANNOTATION];
  if (owner !== deployment)
    return [
      fail(
        `node ${name} belongs to ${owner === undefined ? 'nobody we know' : `deployment ${owner}`}`,
        `rename the node in the settings, or kubectl delete node ${name} once its owner is gone`,
      ),
    ];
  return [readiness(name, node, log), leaseAge(name, lease, now, log)];
};

const readiness = (name: string, { status, spec }: Node, log: string): Finding => {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  if (ready?.status !== 'True')
    return fail(
      `node ${name} is not Ready: ${ready?.reason ?? 'unknown'}: ${ready?.message ?? 'no word from it'}`,
      log,
    );
  return spec?.unschedulable
    ? warn(`node ${name} is Ready and cordoned: nothing is scheduled to it`, `kubectl uncordon ${name}`)
    : pass(`node ${name} is Ready`);
};

const leaseAge = (name: string, lease: Lease | undefined, now: number, log: string): Finding => {
  const renewed = Date.parse(lease?.spec?.renewTime ?? '');
  if (Number.isNaN(renewed)) return fail(`node ${name} has no lease`, log);
  const seconds = Math.max(0, Math.round((now - renewed) / 1_000));
  const message = `the lease of ${name} was renewed ${seconds} s ago`;
  if (seconds >= LOST_S) return fail(`${message}: the control plane gives the node up`, log);
  return seconds >= LATE_S ? warn(`${message}, not within 10 s: beats do not arrive`, log) : pass(message);
};
