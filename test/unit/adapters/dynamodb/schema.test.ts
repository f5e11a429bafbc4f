import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import {
  knownPodsPartition,
  knownPodsPartitions,
  tableDefinition,
  timersPartition,
} from '../../../../src/adapters/dynamodb/schema.ts';

describe('the table', () => {
  it('is deployed as the stores expect it', () => {
    const template = parse(readFileSync('infra/resources/table.yml', 'utf8')) as {
      Resources: { Table: { Properties: Record<string, unknown> } };
    };
    const { TableName: _name, ...expected } = tableDefinition('svk');
    expect(template.Resources.Table.Properties).toMatchObject({
      ...expected,
      TimeToLiveSpecification: { AttributeName: 'ttl', Enabled: true },
    });
  });
});

describe('partitions', () => {
  it.each([
    ['0f3c', 'NODE#dev#fargate#0'],
    ['3f3c', 'NODE#dev#fargate#0'],
    ['4f3c', 'NODE#dev#fargate#4'],
    ['b01d', 'NODE#dev#fargate#8'],
    ['f01d', 'NODE#dev#fargate#c'],
    // SHA-256 of "zebra" begins with 6.
    ['zebra', 'NODE#dev#fargate#4'],
  ])('of the known pod %s is %s', (uid, partition) => {
    expect(knownPodsPartition('dev', 'fargate', uid)).toBe(partition);
    expect(knownPodsPartitions('dev', 'fargate')).toContain(partition);
  });

  it('of timers spread over the shards', () => {
    const used = new Set(Array.from({ length: 50 }, (_, n) => timersPartition(`uid-${n}`, 2)));
    expect([...used].sort()).toEqual(['TIMERS#0', 'TIMERS#1']);
    expect(timersPartition('anything', 1)).toBe('TIMERS#0');
  });
});
