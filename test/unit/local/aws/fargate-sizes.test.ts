import { describe, expect, it } from 'vitest';
import {
  cpuUnitsOf,
  fargateMemoryFor,
  fargateSizeProblem,
  memoryMiBOf,
} from '../../../../infra/local/aws/ecs/definitions/fargate-sizes.ts';

describe('the Fargate size table', () => {
  it.each([
    { cpu: 256, count: 3, least: 512, most: 2048 },
    { cpu: 512, count: 4, least: 1024, most: 4096 },
    { cpu: 1024, count: 7, least: 2048, most: 8192 },
    { cpu: 2048, count: 13, least: 4096, most: 16_384 },
    { cpu: 4096, count: 23, least: 8192, most: 30_720 },
    { cpu: 8192, count: 12, least: 16_384, most: 61_440 },
    { cpu: 16_384, count: 12, least: 32_768, most: 122_880 },
    { cpu: 32_768, count: 3, least: 61_440, most: 249_856 },
  ])('has $count memory values for $cpu CPU units', ({ cpu, count, least, most }) => {
    const memory = fargateMemoryFor(cpu);
    expect([memory?.length, memory?.[0], memory?.at(-1)]).toEqual([count, least, most]);
  });

  it('has no other rows', () => {
    expect([fargateMemoryFor(128), fargateMemoryFor(300), fargateMemoryFor(3072)]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  it.each([
    { text: '1 vCPU', units: 1024 },
    { text: '.25vcpu', units: 256 },
    { text: '512', units: 512 },
    { text: '1 cpu', units: undefined },
  ])('reads $text as $units CPU units', ({ text, units }) => {
    expect(cpuUnitsOf(text)).toBe(units);
  });

  it('reads memory with and without unit', () => {
    expect([memoryMiBOf('0.5GB'), memoryMiBOf('3072'), memoryMiBOf('1 Gi')]).toEqual([512, 3072, undefined]);
  });

  it('accepts a pair of one row only', () => {
    expect(fargateSizeProblem('8192', '20480')).toBeUndefined();
    expect(fargateSizeProblem('8192', '18432')).toBe(
      'No Fargate configuration exists for given values: 8192 CPU, 18432 memory. See the Amazon ECS documentation for the valid values.',
    );
  });
});
