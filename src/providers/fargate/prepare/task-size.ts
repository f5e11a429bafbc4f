/** A size Fargate sells: CPU units (1024 are one vCPU) and MiB. */
export interface TaskSize {
  readonly cpuUnits: number;
  readonly memoryMiB: number;
}

const steps = (from: number, to: number, step: number): number[] =>
  Array.from({ length: (to - from) / step + 1 }, (_, index) => from + index * step);

/** "Task CPU and memory" of the ECS developer guide, Linux. */
const MEMORY_BY_CPU: readonly (readonly [cpuUnits: number, memoryMiB: readonly number[]])[] = [
  [256, [512, 1024, 2048]],
  [512, steps(1024, 4096, 1024)],
  [1024, steps(2048, 8192, 1024)],
  [2048, steps(4096, 16_384, 1024)],
  [4096, steps(8192, 30_720, 1024)],
  [8192, steps(16_384, 61_440, 4096)],
  [16_384, steps(32_768, 122_880, 8192)],
];

/** What an hour of one vCPU costs, in hours of one GB: the same ratio in all regions and for both architectures. */
const VCPU_IN_GB_HOURS = 9.107;

const relativePrice = ({ cpuUnits, memoryMiB }: TaskSize): number =>
  (cpuUnits / 1024) * VCPU_IN_GB_HOURS + memoryMiB / 1024;

const SIZES: readonly TaskSize[] = MEMORY_BY_CPU.flatMap(([cpuUnits, memories]) =>
  memories.map((memoryMiB) => ({ cpuUnits, memoryMiB })),
).sort((a, b) => relativePrice(a) - relativePrice(b));

export const LARGEST_SIZE: TaskSize = { cpuUnits: 16_384, memoryMiB: 122_880 };

/** The cheapest size that holds `need`; undefined where none does. */
export const cheapestTaskSize = (need: TaskSize): TaskSize | undefined =>
  SIZES.find(({ cpuUnits, memoryMiB }) => cpuUnits >= need.cpuUnits && memoryMiB >= need.memoryMiB);

/** `0.25 vCPU, 512 MiB`: for people. */
export const sizeInWords = ({ cpuUnits, memoryMiB }: TaskSize): string =>
  `${Number((cpuUnits / 1024).toFixed(3))} vCPU, ${memoryMiB} MiB`;
