import { describe, expect, it } from 'vitest';
import { decodeProtobuf } from '../../../../infra/local/kubernetes/schema/protobuf.ts';

const field = (number: number, value: number | string | Buffer): Buffer => {
  if (typeof value === 'number') return Buffer.from([...varint(number << 3), ...varint(value)]);
  const bytes = Buffer.from(value);
  return Buffer.concat([Buffer.from([...varint((number << 3) | 2), ...varint(bytes.length)]), bytes]);
};
const varint = (value: number): number[] =>
  value < 128 ? [value] : [(value % 128) | 128, ...varint(Math.floor(value / 128))];
const message = (...fields: Buffer[]): Buffer => Buffer.concat(fields);
const envelope = (kind: string, raw: Buffer): Buffer =>
  message(
    Buffer.from('k8s\0'),
    field(1, message(field(1, 'v1'), field(2, kind))),
    field(2, raw),
    field(3, ''),
    field(4, ''),
  );

describe('a protobuf body', () => {
  it('is read by the types’ field numbers', () => {
    const metadata = message(
      field(1, 'web'),
      field(8, Buffer.alloc(0)),
      field(11, message(field(1, 'app'), field(2, 'web'))),
      field(11, message(field(1, 'tier'), field(2, ''))),
    );
    const container = message(
      field(1, 'app'),
      field(3, 'sh'),
      field(3, '-c'),
      field(6, message(field(3, 8_080))),
      field(8, message(field(1, message(field(1, 'cpu'), field(2, field(1, '500m')))))),
      field(10, message(field(1, field(2, message(field(2, message(field(1, 1), field(3, 'web')))))))),
      field(16, 1),
    );
    const volume = message(field(1, 'scratch'), field(2, field(2, Buffer.alloc(0))));
    const spec = message(field(1, volume), field(2, container), field(4, 0), field(21, 0));
    const pod = message(field(1, metadata), field(2, spec), field(3, Buffer.alloc(0)));
    expect(decodeProtobuf('io.k8s.api.core.v1.Pod', envelope('Pod', pod))).toEqual({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'web', creationTimestamp: undefined, labels: { app: 'web', tier: '' } },
      spec: {
        volumes: [{ name: 'scratch', emptyDir: {} }],
        containers: [
          {
            name: 'app',
            command: ['sh', '-c'],
            ports: [{ containerPort: 8_080 }],
            resources: { limits: { cpu: '500m' } },
            livenessProbe: { httpGet: { port: 'web' } },
            stdin: true,
          },
        ],
        terminationGracePeriodSeconds: 0,
        automountServiceAccountToken: false,
      },
      status: {},
    });
  });

  it('keeps bytes as base64 and times as texts', () => {
    const secret = message(field(2, message(field(1, 'key'), field(2, Buffer.from([255, 0])))));
    expect(decodeProtobuf('io.k8s.api.core.v1.Secret', envelope('Secret', secret))).toMatchObject({
      data: { key: '/wA=' },
    });
    const time = message(field(1, 1_893_456_000), field(2, 123_456_000));
    const lease = message(field(2, message(field(4, time))));
    expect(decodeProtobuf('io.k8s.api.coordination.v1.Lease', envelope('Lease', lease))).toMatchObject({
      spec: { renewTime: '2030-01-01T00:00:00.123456Z' },
    });
  });

  it.each([
    { what: 'without its prefix', body: Buffer.from('{}') },
    { what: 'cut off', body: envelope('Secret', Buffer.from([10, 200])) },
  ])('is refused $what', ({ body }) => {
    expect(() => decodeProtobuf('io.k8s.api.core.v1.Secret', body)).toThrow(/protobuf/);
  });
});
