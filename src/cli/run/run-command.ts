import { readFile } from 'node:fs/promises';
import { Command, Option } from 'commander';
import { PermanentError } from '../../core/errors.ts';
import type { Logger } from '../../ports/logger.ts';
import type { CommandLine } from '../command-line.ts';
import { UsageError } from '../exit-codes.ts';
import { type LogFormat, StreamLogger } from '../stream-logger.ts';
import { type LogLevel, parseLogLevel } from '../values/log-level.ts';
import { parseOneOf } from '../values/plain.ts';
import type { Flag } from './flag.ts';
import { FlagValues, type GivenFlags } from './flag-values.ts';
import { RUN_FLAGS } from './run-flags.ts';
import { type RunRequest, runRequestOf } from './run-options-of.ts';

/** Does what was asked for, until the process is told to end. */
export type Runner = (request: RunRequest & { readonly document: unknown; readonly logger: Logger }) => Promise<void>;

export interface RunCommandOptions {
  readonly line: CommandLine;
  readonly providers: readonly string[];
  readonly clock: { now(): number };
  /** Reads the text of `--provider-config`. */
  readonly parseConfig: (text: string, source: string) => unknown;
  readonly run: Runner;
}

/** `svk run`: virtual-kubelet's root command. */
export const runCommand = ({ line, providers, clock, parseConfig, run }: RunCommandOptions): Command => {
  const command = new Command('run')
    .description('keep a virtual node and run its pods at a provider')
    .addHelpText('after', VARIABLES);
  for (const flag of RUN_FLAGS)
    command.addOption(optionOf(flag.name === 'provider' ? { ...flag, choices: providers } : flag));
  return command.action(async (parsed: Record<string, readonly string[] | undefined>) => {
    const { environment, home } = line;
    const flags = new FlagValues(RUN_FLAGS, givenFlags(command, parsed), environment);
    const request = runRequestOf(flags, { environment, home, providers });
    const level = levelOf(flags, command.optsWithGlobals<{ logLevel?: string }>().logLevel ?? '');
    const format = flags.valueOr('log-format', parseOneOf<LogFormat>('text', 'json'), 'text');
    if (flags.faults.length > 0) throw new UsageError(flags.faults.join('\n'));
    const logger = new StreamLogger({ write: line.err, clock: { ...NEVER, now: () => clock.now() }, level, format });
    for (const warning of flags.warnings()) logger.warn(warning);
    const document = await documentOf(request, environment['SVK_SETTINGS'], parseConfig);
    await run({ ...request, document, logger });
  });
};

/** A logger tells the time and never waits. */
const NEVER = { sleep: (): Promise<never> => Promise.reject(new Error('a logger does not sleep')) };

const VARIABLES = `
Other variables: KUBELET_PORT (port of the kubelet API), VKUBELET_TAINT_KEY, VKUBELET_TAINT_VALUE,
VKUBELET_TAINT_EFFECT, AWS_REGION, SVK_SETTINGS (the document of --provider-config, where no file is named), and
SVK_ECS_CLUSTER, SVK_LOG_GROUP, SVK_EXECUTION_ROLE_ARN, SVK_TASK_ROLE_ARN of provider fargate.`;

const levelOf = (flags: FlagValues, text: string): LogLevel => {
  const level = flags.check('--log-level', parseLogLevel(text)) ?? 'info';
  const verbosity = Number(flags.text('klog.v') ?? 0);
  return text === '' && verbosity >= 4 ? 'debug' : level;
};

const documentOf = async (
  { providerConfig }: RunRequest,
  settings: string | undefined,
  parse: (text: string, source: string) => unknown,
): Promise<unknown> => {
  if (providerConfig === undefined) return settings ? parse(settings, 'SVK_SETTINGS') : undefined;
  const source = `--provider-config ${providerConfig}`;
  let text: string;
  try {
    text = await readFile(providerConfig, 'utf8');
  } catch (cause) {
    throw new PermanentError(`${source} cannot be read; check the name and its permissions`, { cause });
  }
  return parse(text, source);
};

const optionOf = (flag: Flag): Option => {
  const { name, value, group, deprecated, choices } = flag;
  const option = new Option(`--${name} ${value === undefined ? '[bool]' : `<${value}>`}`, helpOf(flag));
  // Kept as texts: every fault is told at once, by those who know what it means.
  option.argParser((text: string, before: readonly string[] | undefined) => [...(before ?? []), text]);
  if (value === undefined) option.preset('true');
  if (choices) option.argChoices = [...choices];
  if (deprecated !== undefined) option.hideHelp();
  return option.helpGroup(`${group}:`);
};

const helpOf = ({ help, initial, variable, repeatable }: Flag): string => {
  const notes = [
    ...(variable === undefined ? [] : [`env ${variable}`]),
    ...(initial === undefined || initial === '' || initial === 'false' ? [] : [`default ${initial}`]),
    ...(repeatable ? ['repeatable'] : []),
  ];
  return notes.length === 0 ? help : `${help} [${notes.join(', ')}]`;
};

/** By the names of the flags instead of commander's. */
const givenFlags = (command: Command, parsed: Record<string, readonly string[] | undefined>): GivenFlags =>
  Object.fromEntries(
    command.options.map((option) => [(option.long ?? '').slice(2), parsed[option.attributeName()]] as const),
  );
