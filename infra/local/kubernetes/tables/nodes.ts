import type { Node } from '../../../../src/model/kubernetes.ts';
import type { Printer } from '../resources/definition.ts';
import { asNode } from '../resources/typed.ts';
import { ageOf } from './age.ts';
import { AGE, column, NAME, wide } from './columns.ts';

/** Nodes as `printNode` of kubernetes/pkg/printers prints them. */
export const nodePrinter: Printer = {
  columns: [
    NAME,
    column('Status', 'The status of the node'),
    column('Roles', 'The roles of the node'),
    AGE,
    column('Version', 'Kubelet Version reported by the node.'),
    wide('Internal-IP', 'List of addresses reachable to the node.'),
    wide('External-IP', 'List of addresses reachable to the node.'),
    wide('OS-Image', 'OS Image reported by the node from /etc/os-release (e.g. Debian GNU/Linux 7 (wheezy)).'),
    wide('Kernel-Version', "Kernel Version reported by the node from 'uname -r' (e.g. 3.16.0-0.bpo.4-amd64)."),
    wide(
      'Container-Runtime',
      'ContainerRuntime Version reported by the node through runtime remote API (e.g. containerd://1.4.2).',
    ),
  ],
  cells: (object, now) => {
    const node = asNode(object);
    const { nodeInfo } = node.status ?? {};
    return [
      node.metadata?.name ?? '',
      statusOf(node),
      rolesOf(node),
      ageOf(node.metadata?.creationTimestamp, now),
      nodeInfo?.kubeletVersion ?? '',
      addressOf(node, 'InternalIP'),
      addressOf(node, 'ExternalIP'),
      nodeInfo?.osImage || '<unknown>',
      nodeInfo?.kernelVersion || '<unknown>',
      nodeInfo?.containerRuntimeVersion || '<unknown>',
    ];
  },
};

const statusOf = ({ spec, status }: Node): string => {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  const word = ready === undefined ? 'Unknown' : ready.status === 'True' ? 'Ready' : 'NotReady';
  return spec?.unschedulable ? `${word},SchedulingDisabled` : word;
};

const ROLE_PREFIX = 'node-role.kubernetes.io/';

const rolesOf = ({ metadata }: Node): string => {
  const roles = Object.entries(metadata?.labels ?? {}).flatMap(([key, value]) => {
    if (key.startsWith(ROLE_PREFIX)) return key.length > ROLE_PREFIX.length ? [key.slice(ROLE_PREFIX.length)] : [];
    return key === 'kubernetes.io/role' && value !== '' ? [value] : [];
  });
  return [...new Set(roles)].sort().join(',') || '<none>';
};

const addressOf = ({ status }: Node, type: string): string =>
  status?.addresses?.find((address) => address.type === type)?.address ?? '<none>';
