import type { Column } from '../resources/definition.ts';

/** First column of most kinds. `format: name` is what kubectl's `-o name` and colouring look for. */
export const NAME: Column = {
  name: 'Name',
  format: 'name',
  description:
    'Name must be unique within a namespace. Is required when creating resources, although some resources may allow a client to request the generation of an appropriate name automatically.',
};

export const AGE: Column = {
  name: 'Age',
  description: 'CreationTimestamp is a timestamp representing the server time when this object was created.',
};

/** A column everybody sees. */
export const column = (name: string, description: string): Column => ({ name, description });

/** A column of `-o wide`. */
export const wide = (name: string, description: string): Column => ({ name, description, priority: 1 });
