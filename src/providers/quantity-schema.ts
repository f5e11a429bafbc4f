import * as z from 'zod/mini';
import { parseQuantity } from '../core/quantity.ts';

const NOT_A_QUANTITY = 'must be a quantity of zero or more, as 2, 500m or 32Gi';

const isAmount = (text: string): boolean => {
  try {
    return parseQuantity(text).nano >= 0n;
  } catch {
    return false;
  }
};

/** An amount of a resource as Kubernetes writes them, in a provider's configuration; YAML writes some as numbers. */
export const quantitySchema = z.pipe(
  z.union([z.string(), z.number()], NOT_A_QUANTITY),
  z.pipe(z.transform(String), z.string().check(z.refine(isAmount, NOT_A_QUANTITY))),
);
