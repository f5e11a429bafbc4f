import * as z from 'zod/mini';
import { faultsOf } from '../../config/faults.ts';
import type { Problem } from '../../model/problem.ts';
import { quantitySchema } from '../quantity-schema.ts';

/** What the mock says of one node. Quantities as Kubernetes writes them. */
export interface MockNode {
  readonly cpu: string;
  readonly memory: string;
  readonly pods: string;
  /** Other resources, by name. */
  readonly others: Readonly<Record<string, string>>;
  readonly providerID?: string;
  /** For tests alone: commands run as processes of this machine. */
  readonly runLocally: boolean;
}

/** virtual-kubelet's defaults. */
export const DEFAULT_NODE: MockNode = { cpu: '20', memory: '100Gi', pods: '20', others: {}, runLocally: false };

export type ParsedMockConfig =
  | { readonly ok: true; readonly nodes: Readonly<Record<string, MockNode>> }
  | { readonly ok: false; readonly faults: readonly Problem[] };

const node = z.strictObject({
  cpu: z._default(quantitySchema, DEFAULT_NODE.cpu),
  memory: z._default(quantitySchema, DEFAULT_NODE.memory),
  pods: z._default(quantitySchema, DEFAULT_NODE.pods),
  others: z._default(z.record(z.string(), quantitySchema), {}),
  providerID: z.exactOptional(z.string()),
  runLocally: z._default(z.boolean(), DEFAULT_NODE.runLocally),
});

/**
 * Reads the mock's configuration, which has virtual-kubelet's form: nodes by name, each with `cpu`, `memory`, `pods`,
 * `others` and `providerID`, all of them optional, and ours, `runLocally`. No document is an empty one. Reports every fault with its path.
 */
export const parseMockConfig = (input: unknown): ParsedMockConfig => {
  const parsed = z.record(z.string(), node).safeParse(input ?? {});
  return parsed.success ? { ok: true, nodes: parsed.data } : { ok: false, faults: faultsOf(parsed.error.issues) };
};
