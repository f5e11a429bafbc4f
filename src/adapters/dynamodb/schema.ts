import type { CreateTableCommandInput, Projection } from '@aws-sdk/client-dynamodb';
import { sha256Hex } from '../../core/digest.ts';

/** The layout of the rows this code writes. Grows when older code could no longer read them. */
export const SCHEMA_VERSION = 1;

export const KNOWN_PODS_INDEX = 'known-pods';
export const TIMERS_INDEX = 'timers';
export const BEATS_KEY = 'BEATS';

export const podKey = (uid: string): string => `POD#${uid}`;

/** `cluster` keeps the nodes of one Kubernetes cluster apart from another's that shares the table. */
export const nodeKey = (cluster: string, node: string): string => `NODE#${cluster}#${node}`;

/**
 * Partition of index `known-pods`: four a node, named by the first of the hexadecimal digits they stand for. Each costs half
 * a read a minute where nothing is in it, and one alone takes ten times what Fargate starts and stops (docs/adr/0010).
 */
export const knownPodsPartition = (cluster: string, node: string, uid: string): string =>
  `${nodeKey(cluster, node)}#${PARTITION_DIGITS[Math.floor(hexDigitOf(uid) / 4)]}`;

export const knownPodsPartitions = (cluster: string, node: string): readonly string[] =>
  PARTITION_DIGITS.map((digit) => `${nodeKey(cluster, node)}#${digit}`);

const PARTITION_DIGITS = ['0', '4', '8', 'c'] as const;

/** Partition of index `timers`; one is right up to about 1,000 pods. */
export const timersPartition = (uid: string, shards: number): string =>
  `TIMERS#${Number.parseInt(sha256Hex(uid, 8), 16) % shards}`;

export const timersPartitions = (shards: number): readonly string[] =>
  Array.from({ length: shards }, (_, shard) => `TIMERS#${shard}`);

// UIDs of the API server are UUIDs; those of other origin (static pods' hashes, tests) may begin with anything.
const hexDigitOf = (uid: string): number =>
  Number.parseInt(/^[0-9a-f]/.test(uid) ? uid.slice(0, 1) : sha256Hex(uid, 1), 16);

/** Enough to wake a pod. Indexes only propose, so what decides is not in them. */
const PROPOSAL: Projection = { ProjectionType: 'INCLUDE', NonKeyAttributes: ['pod', 'node', 'resourceVersion'] };

/** The table as the deployment must make it (there with TTL on `ttl` besides). */
export const tableDefinition = (name: string): CreateTableCommandInput => ({
  TableName: name,
  BillingMode: 'PAY_PER_REQUEST',
  AttributeDefinitions: [
    { AttributeName: 'pk', AttributeType: 'S' },
    { AttributeName: 'kpPk', AttributeType: 'S' },
    { AttributeName: 'timerPk', AttributeType: 'S' },
    { AttributeName: 'nextCheckAt', AttributeType: 'N' },
  ],
  KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
  GlobalSecondaryIndexes: [
    {
      IndexName: KNOWN_PODS_INDEX,
      KeySchema: [
        { AttributeName: 'kpPk', KeyType: 'HASH' },
        { AttributeName: 'pk', KeyType: 'RANGE' },
      ],
      Projection: PROPOSAL,
    },
    {
      IndexName: TIMERS_INDEX,
      KeySchema: [
        { AttributeName: 'timerPk', KeyType: 'HASH' },
        { AttributeName: 'nextCheckAt', KeyType: 'RANGE' },
      ],
      Projection: PROPOSAL,
    },
  ],
});
