import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Container } from '../../../../src/model/kubernetes.ts';
import { allocatableOf } from '../../../../src/providers/fargate/prepare/prepare-pod.ts';
import { cheapestTaskSize } from '../../../../src/providers/fargate/prepare/task-size.ts';
import { definitionOf, podOf, prepare, prepared, problemsOf } from './prepare-harness.ts';

describe('task size', () => {
  it.each([
    { want: 'the smallest for nothing', cpu: 0, memory: 0, size: [256, 512] },
    { want: 'the smallest for all it holds', cpu: 256, memory: 512, size: [256, 512] },
    { want: 'more memory before more CPU', cpu: 256, memory: 1025, size: [256, 2048] },
    { want: 'more CPU when memory outgrows the row', cpu: 256, memory: 2049, size: [512, 3072] },
    { want: 'the row a little CPU more needs', cpu: 257, memory: 512, size: [512, 1024] },
    { want: 'much memory beside little CPU', cpu: 512, memory: 20_480, size: [4096, 20_480] },
    { want: 'steps of 4 GB for 8 vCPU', cpu: 8192, memory: 16_385, size: [8192, 20_480] },
    { want: 'steps of 8 GB for 16 vCPU', cpu: 8193, memory: 1, size: [16_384, 32_768] },
    { want: 'the largest', cpu: 16_384, memory: 122_880, size: [16_384, 122_880] },
    { want: 'what an executor asks for', cpu: 2048, memory: 4505, size: [2048, 5120] },
  ])('gives $want', ({ cpu, memory, size: [cpuUnits, memoryMiB] }) => {
    expect(cheapestTaskSize({ cpuUnits: cpu, memoryMiB: memory })).toEqual({ cpuUnits, memoryMiB });
  });

  it.each([
    [16_385, 1],
    [1, 122_881],
  ])('has none for %i units and %i MiB', (cpuUnits, memoryMiB) => {
    expect(cheapestTaskSize({ cpuUnits, memoryMiB })).toBeUndefined();
  });

  it('always holds what is needed', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 16_384 }), fc.integer({ min: 0, max: 122_880 }), (cpuUnits, memoryMiB) => {
        const size = cheapestTaskSize({ cpuUnits, memoryMiB });
        expect(size?.cpuUnits).toBeGreaterThanOrEqual(cpuUnits);
        expect(size?.memoryMiB).toBeGreaterThanOrEqual(memoryMiB);
      }),
    );
  });

  it('is told with its reason', () => {
    const resources = { requests: { cpu: '100m', memory: '600Mi' }, limits: { memory: '700Mi' } };
    expect(prepare({ container: { resources } })).toMatchObject({
      ok: true,
      summary: '0.25 vCPU, 1024 MiB: the cheapest task that holds 0.101 vCPU, 700 MiB',
    });
  });

  it('refuses what no task holds', () => {
    expect(problemsOf({ container: { resources: { requests: { cpu: '17' } } } })).toEqual([
      ['spec.containers[0].resources', '17 vCPU, 0 MiB: the largest task has 16 vCPU, 122880 MiB'],
    ]);
  });

  it('counts resources of the whole pod', () => {
    const spec = { resources: { limits: { cpu: '2', memory: '5Gi' } } };
    expect(prepared({ spec }).definition).toMatchObject({ cpu: '2048', memory: '5120' });
  });

  it('is what environment variables take for missing limits', () => {
    const resources = { requests: { cpu: '300m', 'ephemeral-storage': '30Gi' } };
    expect(allocatableOf(podOf({ container: { resources } }))).toEqual({
      cpu: '500m',
      memory: '1024Mi',
      'ephemeral-storage': '30Gi',
    });
    expect(allocatableOf(podOf({ container: { resources: { limits: { cpu: '64' } } } }))).toBeUndefined();
  });
});

describe('resources of a container', () => {
  it.each<[resources: Container['resources'], shares: object]>([
    [{}, {}],
    [
      { requests: { cpu: '100m', memory: '128974848' }, limits: { cpu: '1500m', memory: '129e6' } },
      { cpu: 103, memory: 124, memoryReservation: 123 },
    ],
    [
      { requests: { cpu: '0.5', memory: '0.9G' }, limits: { memory: '1.5Gi' } },
      { cpu: 512, memory: 1536, memoryReservation: 859 },
    ],
    [
      { requests: { cpu: '100m', memory: '128974848000m' }, limits: { cpu: '100m', memory: '128974848000m' } },
      { cpu: 103, memory: 123 },
    ],
    [{ requests: { cpu: '0', memory: '4Mi' } }, { memoryReservation: 6 }],
    [{ limits: { memory: '1Mi' } }, { memory: 6 }],
  ])('%j become %j', (resources, shares) => {
    const { cpu, memory, memoryReservation } = definitionOf({ container: resources ? { resources } : {} });
    expect({ cpu, memory, memoryReservation }).toEqual({
      cpu: undefined,
      memory: undefined,
      memoryReservation: undefined,
      ...shares,
    });
  });

  it.each([
    [{ limits: { 'nvidia.com/gpu': '1' } }, "spec.containers[0].resources.limits['nvidia.com/gpu']"],
    [{ requests: { 'hugepages-2Mi': '4Mi' } }, "spec.containers[0].resources.requests['hugepages-2Mi']"],
    [{ claims: [{ name: 'x' }] }, 'spec.containers[0].resources.claims'],
    [{ requests: { 'ephemeral-storage': '201Gi' } }, 'spec.containers[0].resources'],
    [{ requests: { memory: 'lots' } }, "spec.containers[0].resources.requests['memory']"],
  ])('%j are refused by name', (resources, field) => {
    expect(problemsOf({ container: { resources } }).map(([name]) => name)).toEqual([field]);
  });

  it.each([
    ['20Gi', undefined],
    ['20.5Gi', { sizeInGiB: 21 }],
    ['200Gi', { sizeInGiB: 200 }],
  ])('%s of ephemeral storage', (amount, ephemeralStorage) => {
    const resources = { requests: { 'ephemeral-storage': amount } };
    expect(prepared({ container: { resources } }).definition.ephemeralStorage).toEqual(ephemeralStorage);
  });
});
