import * as z from 'zod/mini';
import type { Node } from '../../model/kubernetes.ts';
import type { NodeDefinition } from '../node/node-definition.ts';

/**
 * On a Node: who serves its kubelet API instead of the endpoint of its deployment, and until when. Whoever keeps the node
 * takes the address from here for as long as it holds (docs/adr/0012-gateway-announcement.md).
 */
export const ENDPOINT_ANNOTATION = 'svk.dev/kubelet-endpoint';

const announcement = z.object({
  host: z.string().check(z.minLength(1)),
  port: z.int().check(z.refine((port) => port > 0 && port < 65_536)),
  /** Whether it takes WebSockets as they are. */
  webSockets: z._default(z.boolean(), false),
  holder: z.string(),
  until: z.string().check(z.refine((text) => !Number.isNaN(Date.parse(text)))),
});

/** `until`: RFC 3339. `holder` tells one process from another at the same address. */
export type Announcement = z.infer<typeof announcement>;

/** What the Node says, whether it still holds or not; undefined where it says nothing that can be read. Pure. */
export const announcementOf = (node: Node | undefined): Announcement | undefined => {
  try {
    return announcement.parse(JSON.parse(node?.metadata?.annotations?.[ENDPOINT_ANNOTATION] ?? ''));
  } catch {
    return undefined;
  }
};

/** The endpoint that a gateway announces and still holds. Pure. */
export const announcedEndpoint = (node: Node | undefined, now: number): NodeDefinition['endpoint'] => {
  const found = announcementOf(node);
  return found && Date.parse(found.until) > now
    ? { host: found.host, port: found.port, webSockets: found.webSockets }
    : undefined;
};
