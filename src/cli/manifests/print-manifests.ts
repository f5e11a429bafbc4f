import { stringify } from 'yaml';
import { parseAdmissionSecrets } from '../../adapters/secrets/admission-secrets.ts';
import { parameterNames } from '../../config/parameter-names.ts';
import { PermanentError } from '../../core/errors.ts';
import type { CommandContext } from '../commands/command-context.ts';
import { openParameters } from '../credentials/open-parameters.ts';
import { toAccess } from './access.ts';
import { type DeploymentFacts, parseDeploymentFacts } from './deployment-facts.ts';
import { toGateway } from './gateway.ts';
import { askGatewayVariables } from './gateway-facts.ts';
import { IDENTITIES, type Identity } from './identity.ts';
import type { Manifest } from './manifest.ts';
import type { Mode } from './rules.ts';
import { toRuntimeClass } from './runtime-class.ts';
import { namesOf } from './stack-facts.ts';
import { toWebhookConfiguration } from './webhook-configuration.ts';

const TIME_LIMIT_MS = 30_000;

export interface ManifestsOptions {
  readonly deployment: string;
  readonly region?: string;
  /** Names apart by commas; asked of the stack where they are left out. */
  readonly nodes?: string;
  readonly identity: string;
  readonly namespace: string;
  /** Names apart by commas. */
  readonly namespaces?: string;
  readonly for: string;
  readonly certificates: boolean;
  /** Image of a stream gateway to run in the cluster; without it none is printed. */
  readonly gateway?: string;
  /** ARN of the IAM role of its ServiceAccount. */
  readonly gatewayRole?: string;
  readonly certificateSigner: string;
  /** With the secret; asked of Parameter Store where it is left out. */
  readonly admissionUrl?: string;
  readonly push: boolean;
  readonly output: string;
}

/** `svk manifests`: everything a deployment needs in its cluster, on the standard output. @throws {PermanentError} */
export const printManifests = async (options: ManifestsOptions, context: CommandContext): Promise<void> => {
  const manifests = await collectManifests(options, context);
  context.print(
    options.output === 'json'
      ? JSON.stringify({ apiVersion: 'v1', kind: 'List', items: manifests }, undefined, 2)
      : manifests
          .map((manifest) => `---\n${stringify(manifest, { aliasDuplicateObjects: false })}`)
          .join('')
          .trimEnd(),
  );
};

const collectManifests = async (options: ManifestsOptions, context: CommandContext): Promise<readonly Manifest[]> => {
  const identity = oneOf('--identity', options.identity, IDENTITIES);
  const mode = oneOf('--for', options.for, ['functions', 'process'] as const);
  oneOf('--output', options.output, ['yaml', 'json'] as const);
  const push = options.push && mode === 'functions';
  const { deployment } = options;
  const stack = needsStack(options, push) ? await askStack(options, context) : undefined;
  const nodes = options.nodes === undefined ? (stack?.facts.nodes ?? []) : namesOf(options.nodes);
  refuse(identity, nodes);
  const url = options.admissionUrl ?? stack?.webhookUrl;
  return [
    ...toAccess({
      deployment,
      nodes,
      identity,
      mode: mode satisfies Mode,
      namespace: options.namespace,
      grants: namesOf(options.namespaces ?? ''),
      certificates: options.certificates || mode === 'process',
    }),
    ...(await gatewayOf(options, nodes, context)),
    toRuntimeClass(),
    ...(push && url !== undefined ? [toWebhookConfiguration({ deployment, nodes, url })] : []),
  ];
};

const gatewayOf = async (
  options: ManifestsOptions,
  nodes: readonly string[],
  context: CommandContext,
): Promise<readonly Manifest[]> => {
  const { deployment, namespace, gateway: image, gatewayRole: roleArn, certificateSigner: signer } = options;
  if (image === undefined) {
    if (roleArn !== undefined) throw new PermanentError('--gateway-role needs --gateway: the image of the gateway');
    return [];
  }
  const variables = await askGatewayVariables(options, context);
  return toGateway({ deployment, nodes, namespace, image, variables, roleArn, signer });
};

const needsStack = ({ nodes, admissionUrl }: ManifestsOptions, push: boolean): boolean =>
  nodes === undefined || (push && admissionUrl === undefined);

const askStack = async (
  { deployment, region: option }: ManifestsOptions,
  context: CommandContext,
): Promise<{ readonly facts: DeploymentFacts; readonly webhookUrl: string }> => {
  const { parameters, region } = openParameters(option, context);
  const signal = AbortSignal.timeout(TIME_LIMIT_MS);
  const names = parameterNames(deployment);
  const [text, secrets] = await Promise.all([
    parameters.find(names.deployment, signal),
    parameters.find(names.admission, signal),
  ]);
  if (text === undefined)
    throw new PermanentError(
      `there is no deployment "${deployment}" in ${region}: deploy it first, correct --deployment or --region, or give --nodes and --admission-url`,
    );
  if (secrets === undefined)
    throw new PermanentError(
      `the webhook has no secret yet: run \`svk credentials webhook-secret --deployment ${deployment}\`, or give --no-push`,
    );
  const facts = parseDeploymentFacts(text, `SSM parameter ${names.deployment}`);
  const [secret = ''] = parseAdmissionSecrets(secrets, `SSM parameter ${names.admission}`);
  return { facts, webhookUrl: `${facts.admissionUrl}${secret}` };
};

const refuse = (identity: Identity, nodes: readonly string[]): void => {
  if (nodes.length === 0) throw new PermanentError('--nodes names no node');
  const wrong = nodes.find((node) => !/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(node));
  if (wrong !== undefined) throw new PermanentError(`--nodes: "${wrong}" is no name of a node`);
  if (identity === 'node' && nodes.length > 1)
    throw new PermanentError(
      `--identity node is for one node, and this deployment has ${nodes.length}: one credential cannot be several nodes`,
    );
};

const oneOf = <T extends string>(option: string, value: string, allowed: readonly T[]): T => {
  const found = allowed.find((one) => one === value);
  if (found === undefined) throw new PermanentError(`${option} is "${value}": give one of ${allowed.join(', ')}`);
  return found;
};
