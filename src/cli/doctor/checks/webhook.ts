import * as z from 'zod/mini';
import { parseAdmissionSecrets } from '../../../adapters/secrets/admission-secrets.ts';
import { parameterNames } from '../../../config/parameter-names.ts';
import { ignoreNotFound } from '../../../core/errors.ts';
import { webhookName } from '../../manifests/webhook-configuration.ts';
import type { Check } from '../check.ts';
import { type Finding, fail, pass, warn } from '../finding.ts';

const LIMIT_MS = 10_000;

/** What the webhook configuration of the deployment says, as far as we look at it. */
export interface WebhookFacts {
  /** Of each webhook. */
  readonly urls: readonly string[];
  /** Expressions of the match conditions, all of them. */
  readonly conditions: readonly string[];
}

/** Whether the API server is told to call us, at an address that answers and with the secret of today. */
export const webhookCheck: Check = {
  name: 'webhook',
  run: async (world, signal) => {
    const { deployment, region } = world;
    const nodes = (await world.stack()).settings.nodes.map(({ name }) => name);
    const operator = await world.operator();
    const path = `/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/${webhookName(deployment)}`;
    const found = await ignoreNotFound(operator.get<unknown>(path, { signal }));
    const apply = `svk manifests --deployment ${deployment} --region ${region} | kubectl apply -f -`;
    if (found === undefined)
      return [warn('no webhook is configured: pods start up to a minute late', `${apply}, or do without push`)];
    const name = parameterNames(deployment).admission;
    const text = await world.account.parameter(name, signal);
    const secrets = text === undefined ? [] : parseAdmissionSecrets(text, `SSM parameter ${name}`);
    const facts = factsOf(found);
    const faults = judgeWebhook(facts, { nodes, secrets, apply });
    if (faults.length > 0) return faults;
    return [await answerOf(facts.urls[0] ?? '', signal)];
  },
};

/** What is wrong with the configuration; nothing where it is as `svk manifests` writes it. */
export const judgeWebhook = (
  { urls, conditions }: WebhookFacts,
  expected: { readonly nodes: readonly string[]; readonly secrets: readonly string[]; readonly apply: string },
): readonly Finding[] => {
  const { nodes, secrets, apply } = expected;
  const unknown = nodes.filter((node) => !conditions.every((condition) => condition.includes(`'${node}'`)));
  const stale = urls.length === 0 || urls.some((url) => !secrets.includes(url.split('/').at(-1) ?? ''));
  return [
    ...(unknown.length > 0 ? [fail(`the webhook does not tell of pods on ${unknown.join(', ')}`, apply)] : []),
    ...(stale ? [fail('the webhook holds a secret that the functions do not know', apply)] : []),
  ];
};

const configuration = z.looseObject({
  webhooks: z._default(
    z.array(
      z.looseObject({
        clientConfig: z.looseObject({ url: z.optional(z.string()) }),
        matchConditions: z._default(z.array(z.looseObject({ expression: z.string() })), []),
      }),
    ),
    [],
  ),
});

const factsOf = (found: unknown): WebhookFacts => {
  const { webhooks } = configuration.parse(found);
  return {
    urls: webhooks.flatMap(({ clientConfig: { url } }) => (url === undefined ? [] : [url])),
    conditions: webhooks.map(({ matchConditions }) => matchConditions.map(({ expression }) => expression).join(' ')),
  };
};

/** A dry run: the functions do nothing about it. The URL holds the secret, so that nothing of it is told. */
const answerOf = async (url: string, signal: AbortSignal): Promise<Finding> => {
  const request = {
    uid: 'doctor',
    operation: 'CREATE',
    dryRun: true,
    resource: { group: '', version: 'v1', resource: 'pods' },
  };
  const body = JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request });
  const fix = "see the log of function admission, and the API's access log";
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
      signal: AbortSignal.any([signal, AbortSignal.timeout(LIMIT_MS)]),
    });
    if (!response.ok) return fail(`the webhook answers with HTTP ${response.status}`, fix);
    return isAllowed(await response.text())
      ? pass('the webhook answers')
      : fail('something answers at the address of the webhook that is none', fix);
  } catch {
    return fail(`the webhook at ${new URL(url).host} does not answer`, fix);
  }
};

const answer = z.looseObject({ response: z.looseObject({ allowed: z.literal(true) }) });

const isAllowed = (text: string): boolean => {
  try {
    return answer.safeParse(JSON.parse(text)).success;
  } catch {
    return false;
  }
};
