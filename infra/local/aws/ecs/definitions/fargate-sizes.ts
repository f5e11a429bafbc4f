/** The memory values, in MiB, that Fargate has for so many CPU units; undefined where there is no such row. */
export const fargateMemoryFor = (cpuUnits: number): readonly number[] | undefined => rows.get(cpuUnits);

/** `1024`, `1 vCPU`, `.5 vcpu` as CPU units; undefined where unreadable. */
export const cpuUnitsOf = (text: string): number | undefined => amount(text, /^(\d*\.?\d+)\s*vcpu$/i);

/** `2048`, `2GB`, `2 GB` as MiB; undefined where unreadable. */
export const memoryMiBOf = (text: string): number | undefined => amount(text, /^(\d*\.?\d+)\s*gb$/i);

const amount = (text: string, unit: RegExp): number | undefined => {
  const trimmed = text.trim();
  if (/^\d+$/.test(trimmed)) return Number(trimmed);
  const match = unit.exec(trimmed);
  return match ? Math.round(Number(match[1]) * 1024) : undefined;
};

const steps = (from: number, to: number, step: number): readonly number[] =>
  Array.from({ length: (to - from) / step + 1 }, (_, index) => from + index * step);

/** ECS developer guide, "Task CPU and memory"; the 32 vCPU row is the guide's newest. */
const rows = new Map<number, readonly number[]>([
  [256, [512, 1024, 2048]],
  [512, steps(1024, 4096, 1024)],
  [1024, steps(2048, 8192, 1024)],
  [2048, steps(4096, 16384, 1024)],
  [4096, steps(8192, 30720, 1024)],
  [8192, steps(16384, 61440, 4096)],
  [16384, steps(32768, 122880, 8192)],
  [32768, [61440, 122880, 249856]],
]);

/** The service's own answer to a pair that is not in the table; undefined for one that is. */
export const fargateSizeProblem = (cpu: string, memory: string): string | undefined => {
  const cpuUnits = cpuUnitsOf(cpu);
  const memoryMiB = memoryMiBOf(memory);
  const guide = 'For more information, see the Troubleshooting section of the Amazon ECS Developer Guide.';
  if (cpuUnits === undefined || cpuUnits < 128) return `Invalid 'cpu' setting for task. ${guide}`;
  if (memoryMiB === undefined) return `Invalid 'memory' setting for task. ${guide}`;
  if (fargateMemoryFor(cpuUnits)?.includes(memoryMiB)) return undefined;
  return `No Fargate configuration exists for given values: ${cpuUnits} CPU, ${memoryMiB} memory. See the Amazon ECS documentation for the valid values.`;
};
