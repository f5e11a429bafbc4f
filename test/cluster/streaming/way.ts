import type { ClientTransport } from '../../support/kubectl-process.ts';
import type { StreamingNode } from '../../support/streaming/streaming-world.ts';

/** How kubectl asks, which node serves it, and what must arrive there. */
export interface Way {
  readonly client: ClientTransport;
  readonly node: () => StreamingNode;
  readonly nodeName: string;
  readonly command: { readonly transport: string; readonly protocol: string };
  readonly forward: { readonly transport: string; readonly protocol: string };
}

/** A pod of the node that any test may use. */
export const podOf = ({ nodeName }: Way): string => `box-${nodeName}`;
