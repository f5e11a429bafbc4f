import { readFile } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod/mini';
import type { Manifest } from '../../src/cli/manifests/manifest.ts';

const auditEvent = z.looseObject({
  verb: z.string(),
  requestURI: z.string(),
  user: z.looseObject({ username: z.string() }),
  objectRef: z.optional(
    z.looseObject({
      apiGroup: z.optional(z.string()),
      resource: z.optional(z.string()),
      subresource: z.optional(z.string()),
      namespace: z.optional(z.string()),
      name: z.optional(z.string()),
    }),
  ),
  responseStatus: z.optional(z.looseObject({ code: z.optional(z.number()) })),
});

export type AuditEvent = z.infer<typeof auditEvent>;

/** What `user` has asked of the API server, in order. */
export const requestsOf = async (folder: string, user: string): Promise<readonly AuditEvent[]> => {
  const lines = (await readFile(path.join(folder, 'audit.log'), 'utf8')).split('\n').filter((line) => line !== '');
  return lines.map((line) => auditEvent.parse(JSON.parse(line))).filter(({ user: { username } }) => username === user);
};

/** Requests the API server refused for want of a right, or of credentials. */
export const refusedOf = (events: readonly AuditEvent[]): readonly string[] =>
  events
    .filter(({ responseStatus }) => responseStatus?.code === 401 || responseStatus?.code === 403)
    .map(({ verb, requestURI }) => `${verb} ${requestURI}`);

/** `[namespace: ]group/resource verb` of everything the roles among `manifests` allow. */
export const rightsOf = (manifests: readonly Manifest[]): readonly string[] =>
  manifests
    .filter(({ kind }) => kind === 'ClusterRole' || kind === 'Role')
    .flatMap(({ metadata, rules }) =>
      (rules as readonly Record<'apiGroups' | 'resources' | 'verbs', readonly string[]>[]).flatMap((rule) =>
        rule.apiGroups.flatMap((group) =>
          rule.resources.flatMap((resource) =>
            rule.verbs.map((verb) => right({ namespace: metadata.namespace, group, resource, verb })),
          ),
        ),
      ),
    );

/** Which of `rights` were made use of. */
export const usedRights = (rights: readonly string[], events: readonly AuditEvent[]): ReadonlySet<string> => {
  const used = events.flatMap(({ verb, objectRef }) => {
    const { apiGroup: group = '', resource = '', subresource, namespace } = objectRef ?? {};
    const what = { group, resource: subresource ? `${resource}/${subresource}` : resource, verb };
    return [right({ namespace: undefined, ...what }), right({ namespace, ...what })];
  });
  return new Set(rights.filter((one) => used.includes(one)));
};

const right = (of: {
  readonly namespace: string | undefined;
  readonly group: string;
  readonly resource: string;
  readonly verb: string;
}): string => `${of.namespace ? `${of.namespace}: ` : ''}${of.group && `${of.group}/`}${of.resource} ${of.verb}`;
