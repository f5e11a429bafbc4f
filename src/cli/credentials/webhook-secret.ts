import { randomBytes } from 'node:crypto';
import type { OperatorParameters } from '../../adapters/secrets/operator-parameters.ts';
import { parameterNames } from '../../config/parameter-names.ts';
import type { CommandContext } from '../commands/command-context.ts';
import { openParameters } from './open-parameters.ts';

const DESCRIPTION = 'What the path of the admission webhook ends with; while it is rotated also the one before';
const TIME_LIMIT_MS = 30_000;

export interface WebhookSecretOptions {
  readonly deployment: string;
  readonly region?: string;
  readonly rotate: boolean;
}

/** `svk credentials webhook-secret`. Nothing that is printed tells a secret. */
export const setWebhookSecret = async (
  { deployment, region, rotate }: WebhookSecretOptions,
  context: CommandContext,
): Promise<void> => {
  const { parameters } = openParameters(region, context);
  const name = parameterNames(deployment).admission;
  const signal = AbortSignal.timeout(TIME_LIMIT_MS);
  if (rotate) {
    await rotateWebhookSecret(parameters, name, signal);
    context.print(`stored a new secret in SSM parameter ${name}; apply \`svk manifests\` once five minutes are over`);
    return;
  }
  const made = await ensureWebhookSecret(parameters, name, signal);
  context.print(made ? `stored a new secret in SSM parameter ${name}` : `SSM parameter ${name} holds one already`);
};

/** Stores a secret of 128 bits where there is none yet. True where it was stored. */
export const ensureWebhookSecret = async (
  parameters: OperatorParameters,
  name: string,
  signal: AbortSignal,
): Promise<boolean> => {
  if ((await parameters.find(name, signal)) !== undefined) return false;
  await parameters.putSecret(name, newSecret(), DESCRIPTION, signal);
  return true;
};

/** Puts a new one before the current one, which stays good until the next rotation. */
const rotateWebhookSecret = async (
  parameters: OperatorParameters,
  name: string,
  signal: AbortSignal,
): Promise<void> => {
  const [current] = (await parameters.find(name, signal))?.split(/\s+/) ?? [];
  await parameters.putSecret(name, current ? `${newSecret()} ${current}` : newSecret(), DESCRIPTION, signal);
};

const newSecret = (): string => randomBytes(16).toString('hex');
