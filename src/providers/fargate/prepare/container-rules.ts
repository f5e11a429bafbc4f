import type { Container } from '../../../model/kubernetes.ts';
import { isForeignContainer } from '../deployment.ts';
import { applyRules, type FieldRule, type Findings, noteUnknownFields } from './findings.ts';
import { checkProbes } from './probe-rules.ts';

const MAX_IMAGE_LENGTH = 255;

const RULES: readonly FieldRule<Container>[] = [
  {
    field: 'name',
    verdict: 'refuse',
    applies: ({ name }) => isForeignContainer(name),
    message: 'this name is reserved for containers that the platform adds to a task: choose another one',
  },
  {
    field: 'image',
    verdict: 'refuse',
    applies: ({ image = '' }) => image.length > MAX_IMAGE_LENGTH || !/^[\w][\w.:@/+-]*$/.test(image),
    message: `is not an image reference of at most ${MAX_IMAGE_LENGTH} characters`,
  },
  {
    field: 'imagePullPolicy',
    verdict: 'note',
    applies: ({ imagePullPolicy }) => imagePullPolicy === 'Never',
    message: 'there is no image on the machine of a new task: it is pulled every time',
  },
  {
    field: 'lifecycle.postStart',
    verdict: 'note',
    applies: ({ lifecycle }) => lifecycle?.postStart !== undefined,
    message:
      'nobody can run a hook in a Fargate task: it is left out, let the container do this itself after its start',
  },
  {
    field: 'lifecycle.preStop',
    verdict: 'note',
    applies: ({ lifecycle }) => lifecycle?.preStop !== undefined && lifecycle.preStop.sleep === undefined,
    message: 'nobody can run a hook in a Fargate task: it is left out, let the container do this itself on SIGTERM',
  },
  {
    field: 'lifecycle.stopSignal',
    verdict: 'note',
    applies: ({ lifecycle }) => lifecycle?.stopSignal !== undefined,
    message: 'Fargate sends the stop signal of the image',
  },
  {
    field: 'restartPolicyRules',
    verdict: 'refuse',
    applies: ({ restartPolicyRules = [] }) => restartPolicyRules.length > 0,
    message: 'restart rules of single containers are not supported: use the restart policy of the pod',
  },
  {
    field: 'volumeDevices',
    verdict: 'refuse',
    applies: ({ volumeDevices = [] }) => volumeDevices.length > 0,
    message: 'Fargate cannot attach raw block devices: remove them',
  },
  {
    field: 'terminationMessagePath',
    verdict: 'note',
    applies: ({ terminationMessagePath = '' }) => !['', '/dev/termination-log'].includes(terminationMessagePath),
    message: 'what the container writes there cannot be read from outside: the termination message stays empty',
  },
  {
    field: 'stdinOnce',
    verdict: 'note',
    applies: ({ stdinOnce }) => stdinOnce === true,
    message: 'standard input stays open until the container ends',
  },
];

/** Decided elsewhere in this provider or by the controllers. */
const OTHER_FIELDS: readonly string[] = [
  'args',
  'command',
  'env',
  'envFrom',
  'lifecycle',
  'livenessProbe',
  'ports',
  'readinessProbe',
  'resizePolicy',
  'resources',
  'restartPolicy',
  'securityContext',
  'startupProbe',
  'stdin',
  'terminationMessagePolicy',
  'tty',
  'volumeMounts',
  'workingDir',
];

const KNOWN_FIELDS = new Set([...OTHER_FIELDS, ...RULES.map(({ field }) => field)]);

/** Rules about one container, without its resources and security context. */
export const checkContainer = (container: Container, path: string, findings: Findings): void => {
  applyRules(RULES, container, path, findings);
  checkProbes(container, path, findings);
  noteUnknownFields(container, KNOWN_FIELDS, path, findings);
  for (const [index, { hostPort, hostIP, protocol = 'TCP' }] of (container.ports ?? []).entries()) {
    const field = `${path}.ports[${index}]`;
    if (hostPort)
      findings.refuse(
        `${field}.hostPort`,
        `there is no host with a port ${hostPort}: reach the pod by its own address`,
      );
    if (hostIP) findings.refuse(`${field}.hostIP`, `there is no host with the address ${hostIP}: remove it`);
    if (protocol !== 'TCP' && protocol !== 'UDP')
      findings.refuse(`${field}.protocol`, `Fargate maps TCP and UDP, not ${protocol}`);
  }
};
