import { type JsonObject, listOf } from '../model/object.ts';
import { type Shape, structOf, type WireFields } from './shapes.ts';

/*
 * Typed clients (kubectl's `create` sub-commands, controllers on client-go) send their bodies as protobuf. Only reading
 * is needed: their Accept header lets us answer in JSON.
 */

const MAGIC = Buffer.from('k8s\0');
const ENVELOPE_TYPE_META = 1;
const ENVELOPE_RAW = 2;

/** Reads the `runtime.Unknown` envelope and the message of that full type name in it. @throws {Error} where broken. */
export const decodeProtobuf = (type: string, body: Buffer): JsonObject => {
  if (!body.subarray(0, MAGIC.length).equals(MAGIC)) throw new Error('the protobuf envelope has no magic prefix');
  const envelope = new Map([...fieldsOf(body.subarray(MAGIC.length))].map(({ number, value }) => [number, value]));
  const meta = new Map(
    [...fieldsOf(bytesOf(envelope.get(ENVELOPE_TYPE_META)))].map(({ number, value }) => [number, value]),
  );
  return {
    ...decodeMessage(type, bytesOf(envelope.get(ENVELOPE_RAW))),
    apiVersion: bytesOf(meta.get(1)).toString('utf8'),
    kind: bytesOf(meta.get(2)).toString('utf8'),
  };
};

interface Field {
  readonly number: number;
  readonly value: bigint | Buffer;
}

/** The fields of one message in order: varints and fixed numbers as bigint, everything else as bytes. */
function* fieldsOf(message: Buffer): Generator<Field> {
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = message[at];
      if (byte === undefined) throw new Error('the protobuf message is cut off');
      at += 1;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  const take = (length: number): Buffer => {
    if (at + length > message.length) throw new Error('the protobuf message is cut off');
    at += length;
    return message.subarray(at - length, at);
  };
  while (at < message.length) {
    const key = Number(varint());
    const number = key >> 3;
    switch (key & 7) {
      case 0:
        yield { number, value: varint() };
        break;
      case 1:
        yield { number, value: take(8) };
        break;
      case 2:
        yield { number, value: take(Number(varint())) };
        break;
      case 5:
        yield { number, value: take(4) };
        break;
      default:
        throw new Error(`the protobuf message has wire type ${key & 7}`);
    }
  }
}

const bytesOf = (value: bigint | Buffer | undefined): Buffer => (Buffer.isBuffer(value) ? value : Buffer.alloc(0));

const integerOf = (value: bigint | Buffer | undefined): number =>
  typeof value === 'bigint' ? Number(BigInt.asIntN(64, value)) : 0;

const decodeMessage = (type: string, message: Buffer): JsonObject => {
  const target: Record<string, unknown> = {};
  const struct = structOf(type);
  fill(target, struct.fields, struct.wire, message);
  return target;
};

const fill = (
  target: Record<string, unknown>,
  shapes: ReadonlyMap<string, Shape>,
  wire: WireFields,
  message: Buffer,
): void => {
  for (const { number, value } of fieldsOf(message)) {
    const field = wire.get(number);
    if (field === undefined) continue;
    if (typeof field !== 'string') {
      fill(target, shapes, field, bytesOf(value));
      continue;
    }
    const shape = shapes.get(field);
    if (!shape) continue;
    if (shape.kind === 'list') {
      target[field] = [...listOf(target[field]), scalar(shape.items, value)];
    } else if (shape.kind === 'map') {
      const entry = new Map([...fieldsOf(bytesOf(value))].map((part) => [part.number, part.value]));
      const known = target[field];
      target[field] = {
        ...(typeof known === 'object' ? known : {}),
        [bytesOf(entry.get(1)).toString('utf8')]: scalar(shape.values, entry.get(2) ?? Buffer.alloc(0)),
      };
    } else {
      target[field] = scalar(shape, value);
    }
  }
};

/** One value; undefined for a time that is not set. */
const scalar = (shape: Shape, value: bigint | Buffer): unknown => {
  switch (shape.kind) {
    case 'string':
      return bytesOf(value).toString('utf8');
    case 'bytes':
      return bytesOf(value).toString('base64');
    case 'boolean':
      return integerOf(value) !== 0;
    case 'integer':
      return integerOf(value);
    case 'number':
      return bytesOf(value).readDoubleLE(0);
    case 'struct':
      return decodeMessage(shape.struct, bytesOf(value));
    case 'time':
    case 'microTime':
      return timeText(bytesOf(value), shape.kind === 'microTime');
    case 'quantity':
      return bytesOf(firstOf(bytesOf(value), 1)).toString('utf8');
    case 'intOrString': {
      const isText = integerOf(firstOf(bytesOf(value), 1)) === 1;
      return isText ? bytesOf(firstOf(bytesOf(value), 3)).toString('utf8') : integerOf(firstOf(bytesOf(value), 2));
    }
    case 'list':
    case 'map':
    case 'any':
      return undefined;
    default:
      return shape satisfies never;
  }
};

const firstOf = (message: Buffer, number: number): bigint | Buffer | undefined =>
  [...fieldsOf(message)].find((field) => field.number === number)?.value;

const timeText = (message: Buffer, isMicro: boolean): string | undefined => {
  if (message.length === 0) return undefined;
  const seconds = integerOf(firstOf(message, 1));
  const micros = Math.floor(integerOf(firstOf(message, 2)) / 1_000);
  const whole = new Date(seconds * 1_000).toISOString().slice(0, 19);
  return isMicro ? `${whole}.${String(micros).padStart(6, '0')}Z` : `${whole}Z`;
};
