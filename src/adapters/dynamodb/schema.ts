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

/** Partition of index `known-pods`: sixteen a node, so that no partition holds all its pods. */
export const knownPodsPartition = (cluster: string, node: string, uid: string): string =>
  `${nodeKey(cluster, node)}#${hexDigitOf(uid)}`;

export const knownPodsPartitions = (cluster: string, node: string): readonly string[] =>
  Array.from({ length: 16 }, (_, digit) => `${nodeKey(cluster, node)}#${digit.toString(16)}`);

/** Partition of index `timers`; one is right up to about 1,000 pods. */
export const timersPartition = (uid: string, shards: number): string =>
  `TIMERS#${Number.parseInt(sha256Hex(uid, 8), 16) % shards}`;

export const timersPartitions = (shards: number): readonly string[] =>
  Array.from({ length: shards }, (_, shard) => `TIMERS#${shard}`);

// UIDs of the API server are UUIDs; those of other origin (static pods' hashes, tests) may begin with anything.
const hexDigitOf = (uid: string): string => (/^[0-9a-f]/.test(uid) ? uid.slice(0, 1) : sha256Hex(uid, 1));

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
