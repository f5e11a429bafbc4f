import { objectOf, textOf } from '../model/object.ts';
import type { Printer } from '../resources/definition.ts';
import { ageOf } from './age.ts';
import { AGE, column, NAME } from './columns.ts';

const sizeOf = (map: unknown): number => Object.keys(objectOf(map)).length;

export const configMapPrinter: Printer = {
  columns: [NAME, column('Data', 'Data contains the configuration data.'), AGE],
  cells: (object, now) => [
    object.metadata.name ?? '',
    sizeOf(object['data']) + sizeOf(object['binaryData']),
    ageOf(object.metadata.creationTimestamp, now),
  ],
};

export const secretPrinter: Printer = {
  columns: [
    NAME,
    column('Type', 'Used to facilitate programmatic handling of secret data.'),
    column('Data', 'Data contains the secret data.'),
    AGE,
  ],
  cells: (object, now) => [
    object.metadata.name ?? '',
    textOf(object['type']) ?? '',
    sizeOf(object['data']),
    ageOf(object.metadata.creationTimestamp, now),
  ],
};

export const serviceAccountPrinter: Printer = {
  columns: [NAME, AGE],
  cells: (object, now) => [object.metadata.name ?? '', ageOf(object.metadata.creationTimestamp, now)],
};

export const namespacePrinter: Printer = {
  columns: [NAME, column('Status', 'The status of the namespace'), AGE],
  cells: (object, now) => [
    object.metadata.name ?? '',
    textOf(objectOf(object['status'])['phase']) ?? '',
    ageOf(object.metadata.creationTimestamp, now),
  ],
};

export const leasePrinter: Printer = {
  columns: [NAME, column('Holder', 'holderIdentity contains the identity of the holder of a current lease.'), AGE],
  cells: (object, now) => [
    object.metadata.name ?? '',
    textOf(objectOf(object['spec'])['holderIdentity']) ?? '',
    ageOf(object.metadata.creationTimestamp, now),
  ],
};
