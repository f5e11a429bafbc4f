/** What the container runtime gives every container (Docker's default set). */
const DEFAULT_CAPABILITIES: readonly string[] = [
  'AUDIT_WRITE',
  'CHOWN',
  'DAC_OVERRIDE',
  'FOWNER',
  'FSETID',
  'KILL',
  'MKNOD',
  'NET_BIND_SERVICE',
  'NET_RAW',
  'SETFCAP',
  'SETGID',
  'SETPCAP',
  'SETUID',
  'SYS_CHROOT',
];

/** Fargate adds this one only. */
const ADDABLE = 'SYS_PTRACE';

interface CapabilityRequest {
  readonly add?: readonly string[];
  readonly drop?: readonly string[];
}

/** Names with and without their prefix mean the same. */
const plain = (name: string): string => name.toUpperCase().replace(/^CAP_/, '');

/** Asked for, but neither there by default nor addable. */
export const impossibleCapabilities = ({ add = [] }: CapabilityRequest): readonly string[] =>
  add.map(plain).filter((name) => name !== ADDABLE && !DEFAULT_CAPABILITIES.includes(name));

/**
 * Kubernetes drops first and adds then; Fargate can add back nothing. So where everything is dropped and one of the
 * default set is asked for, all the others of the set are dropped by name.
 */
export const capabilityChanges = ({ add = [], drop = [] }: CapabilityRequest): { add: string[]; drop: string[] } => {
  const wanted = new Set(add.map(plain));
  const kept = DEFAULT_CAPABILITIES.filter((name) => wanted.has(name));
  const dropped = drop.map(plain);
  const all = dropped.includes('ALL');
  return {
    add: wanted.has(ADDABLE) ? [ADDABLE] : [],
    drop:
      all && kept.length === 0 ? ['ALL'] : (all ? DEFAULT_CAPABILITIES : dropped).filter((name) => !wanted.has(name)),
  };
};
