import { InvalidError } from '../../../core/errors.ts';
import {
  addQuantities,
  largestQuantity,
  parseQuantity,
  type Quantity,
  toGibi,
  toMebi,
  toMilli,
  ZERO,
} from '../../../core/quantity.ts';
import type { Container, PodSpec } from '../../../model/kubernetes.ts';
import type { Findings } from './findings.ts';
import type { TaskSize } from './task-size.ts';

/** What a pod needs in all. `storageGiB` is undefined where the 20 GiB of every task do. */
export interface ResourceNeed extends TaskSize {
  readonly storageGiB?: number;
}

type Resources = NonNullable<Container['resources']>;

export const DEFAULT_STORAGE_GIB = 20;
const MAX_STORAGE_GIB = 200;
const SIZED = ['cpu', 'memory', 'ephemeral-storage'] as const;
type Sized = (typeof SIZED)[number];

/**
 * The sum over the app containers of the larger of request and limit, or the pod's own resources where they are larger.
 * Resources Fargate does not have (GPUs, hugepages, claims) are refused by name.
 */
export const needOf = (spec: PodSpec, findings: Findings): ResourceNeed => {
  const perContainer = spec.containers.map(({ resources = {} }, index) =>
    demandOf(resources, `spec.containers[${index}].resources`, findings),
  );
  const ofPod = demandOf(spec.resources ?? {}, 'spec.resources', findings);
  const total = (name: Sized): Quantity =>
    largestQuantity(ofPod[name], addQuantities(...perContainer.map((demand) => demand[name])));

  const storageGiB = toGibi(total('ephemeral-storage'));
  if (storageGiB > MAX_STORAGE_GIB)
    findings.refuse(
      'spec.containers[0].resources',
      `${storageGiB} GiB of ephemeral-storage: Fargate gives at most ${MAX_STORAGE_GIB}`,
    );
  return {
    cpuUnits: toCpuUnits(total('cpu')),
    memoryMiB: toMebi(total('memory')),
    ...(storageGiB > DEFAULT_STORAGE_GIB && { storageGiB }),
  };
};

/** CPU units (1024 are one CPU), rounded up. */
export const toCpuUnits = (cpu: Quantity): number => Math.ceil((toMilli(cpu) * 1024) / 1000);

const demandOf = (resources: Resources, path: string, findings: Findings): Readonly<Record<Sized, Quantity>> => {
  if ((resources.claims ?? []).length > 0)
    findings.refuse(`${path}.claims`, 'Fargate has no devices to claim: remove them');
  const lists = (['requests', 'limits'] as const).map((list) =>
    readList(resources[list] ?? {}, `${path}.${list}`, findings),
  );
  const most = (name: Sized): Quantity => largestQuantity(ZERO, ...lists.flatMap((list) => list[name] ?? []));
  return { cpu: most('cpu'), memory: most('memory'), 'ephemeral-storage': most('ephemeral-storage') };
};

const readList = (
  list: Readonly<Record<string, string>>,
  path: string,
  findings: Findings,
): Readonly<Partial<Record<Sized, Quantity>>> => {
  const known: Partial<Record<Sized, Quantity>> = {};
  for (const [name, text] of Object.entries(list)) {
    const amount = readQuantity(text, `${path}['${name}']`, findings);
    const sized = SIZED.find((one) => one === name);
    if (sized) known[sized] = amount;
    else if (amount.nano > 0n)
      findings.refuse(`${path}['${name}']`, `Fargate has no ${name}: run this pod on another node`);
  }
  return known;
};

const readQuantity = (text: string, field: string, findings: Findings): Quantity => {
  const amount = quantityOf(text);
  if (!amount) findings.refuse(field, `"${text}" is not a quantity`);
  return amount ?? ZERO;
};

/** Undefined where the text is no quantity, which {@link needOf} has reported. */
export const quantityOf = (text: string | undefined): Quantity | undefined => {
  try {
    return text === undefined ? undefined : parseQuantity(text);
  } catch (error) {
    if (error instanceof InvalidError) return undefined;
    throw error;
  }
};
