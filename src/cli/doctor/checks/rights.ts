import * as z from 'zod/mini';
import type { KubernetesClient } from '../../../adapters/kubernetes/kubernetes-client.ts';
import { TransientError } from '../../../core/errors.ts';
import { nameOf } from '../../manifests/manifest.ts';
import { clusterRules, grantedRules, leaseRules, type Rule, rulesBesideNodeAuthorizer } from '../../manifests/rules.ts';
import type { Check } from '../check.ts';
import { type Finding, fail, pass, warn } from '../finding.ts';
import type { World } from '../world.ts';

const AUTHORIZATION = '/apis/authorization.k8s.io/v1';

/** One question to the authorizers. */
export interface Right {
  readonly group: string;
  readonly resource: string;
  readonly subresource?: string;
  readonly verb: string;
  readonly name?: string;
  readonly namespace?: string;
}

/** Whether the functions may do what they do; asked with their own credentials, of EKS by their group. */
export const rightsCheck: Check = {
  name: 'rights',
  run: async (world, signal) => {
    const nodes = (await world.stack()).settings.nodes.map(({ name }) => name);
    const functions = await world.functions();
    const user = functions ? await userOf(functions, signal) : undefined;
    const isNode = user?.startsWith('system:node:') ?? false;
    const ask = functions
      ? (right: Right) => allowed(functions, 'selfsubjectaccessreviews', { resourceAttributes: right }, signal)
      : await asGroup(world, signal);
    const wanted = isNode ? rightsOf(rulesBesideNodeAuthorizer()) : wantedRights(nodes, world.grants);
    const answers = await Promise.all(wanted.map(async (right) => ((await ask(right)) ? [] : [right])));
    const findings = [judgeRights(answers.flat(), wanted.length, commandOf(world, functions ? isNode : 'group'))];
    const everything = await ask({ group: '*', resource: '*', verb: '*' });
    return everything ? [...findings, tooMany(world)] : findings;
  },
};

/** Everything the functions need, one question each. Secrets and tokens in the granted namespaces only. */
export const wantedRights = (nodes: readonly string[], grants: readonly string[]): readonly Right[] => [
  ...rightsOf(clusterRules(nodes, 'functions')),
  ...rightsOf(leaseRules(nodes), 'kube-node-lease'),
  ...grants.flatMap((namespace) => rightsOf(grantedRules(), namespace)),
];

const rightsOf = (rules: readonly Rule[], namespace?: string): readonly Right[] =>
  rules.flatMap(({ apiGroups, resources, verbs, resourceNames = [undefined] }) =>
    apiGroups.flatMap((group) =>
      resources.flatMap((whole) => {
        const [resource = '', subresource] = whole.split('/');
        return verbs.flatMap((verb) =>
          resourceNames.map((name) => ({
            group,
            resource,
            verb,
            ...(subresource !== undefined && { subresource }),
            ...(name !== undefined && { name }),
            ...(namespace !== undefined && { namespace }),
          })),
        );
      }),
    ),
  );

/** `command` prints the manifests that give them. */
export const judgeRights = (missing: readonly Right[], asked: number, command: string): Finding =>
  missing.length === 0
    ? pass(`the functions have the ${asked} rights they need`)
    : fail(
        `the functions lack ${missing.length} of ${asked} rights: ${missing.map(textOf).join(', ')}`,
        `${command} | kubectl apply -f -`,
      );

const textOf = ({ verb, resource, subresource, name, namespace }: Right): string =>
  `${verb} ${resource}${subresource === undefined ? '' : `/${subresource}`}${name === undefined ? '' : ` ${name}`}${namespace === undefined ? '' : ` in ${namespace}`}`;

const commandOf = ({ deployment, region, grants }: World, identity: boolean | 'group'): string =>
  [
    `svk manifests --deployment ${deployment} --region ${region}`,
    ...(identity === 'group' ? ['--identity group'] : identity ? ['--identity node'] : []),
    ...(grants.length > 0 ? [`--namespaces ${grants.join(',')}`] : []),
  ].join(' ');

const tooMany = ({ deployment, region }: World): Finding =>
  warn(
    'the functions may do everything in the cluster',
    `svk credentials set --deployment ${deployment} --region ${region} --service-account: that of svk manifests may do what is needed and no more`,
  );

const asGroup = async (world: World, signal: AbortSignal): Promise<(right: Right) => Promise<boolean>> => {
  const operator = await world.operator();
  const subject = { user: 'svk-doctor', groups: [nameOf(world.deployment), 'system:authenticated'] };
  return (right) => allowed(operator, 'subjectaccessreviews', { ...subject, resourceAttributes: right }, signal);
};

const review = z.looseObject({ status: z.looseObject({ allowed: z.boolean() }) });
const selfReview = z.looseObject({
  status: z.looseObject({ userInfo: z.looseObject({ username: z.optional(z.string()) }) }),
});

const allowed = async (
  client: KubernetesClient,
  resource: 'selfsubjectaccessreviews' | 'subjectaccessreviews',
  spec: object,
  signal: AbortSignal,
): Promise<boolean> => {
  const kind = resource === 'subjectaccessreviews' ? 'SubjectAccessReview' : 'SelfSubjectAccessReview';
  const body = { apiVersion: 'authorization.k8s.io/v1', kind, spec };
  const answer = review.safeParse(await client.create(`${AUTHORIZATION}/${resource}`, body, { signal }));
  if (!answer.success) throw new TransientError(`${kind}: an answer without status`);
  return answer.data.status.allowed;
};

/** Who the functions are to the API server. */
const userOf = async (client: KubernetesClient, signal: AbortSignal): Promise<string | undefined> => {
  const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
  const answer = selfReview.safeParse(
    await client.create('/apis/authentication.k8s.io/v1/selfsubjectreviews', body, { signal }),
  );
  return answer.success ? answer.data.status.userInfo.username : undefined;
};
