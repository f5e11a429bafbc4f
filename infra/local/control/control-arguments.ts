import { parseArgs } from 'node:util';
import * as z from 'zod/mini';
import { type Fault, faultSchema } from '../aws/faults/fault-model.ts';
import { faultProblems } from '../aws/faults/fault-problems.ts';

/** What `npm run local -- …` was asked. */
export type Control =
  | { readonly kind: 'help' }
  | { readonly kind: 'mistake'; readonly message: string }
  | { readonly kind: 'list'; readonly directory: string }
  | { readonly kind: 'clear'; readonly directory: string }
  | { readonly kind: 'add'; readonly directory: string; readonly fault: Fault };

export const CONTROL_USAGE = `usage: npm run local -- faults list
       npm run local -- faults add KIND [NAME=VALUE ...]
       npm run local -- faults clear

Makes the local cloud that runs now do wrong what AWS does wrong at times. A fault stays until it is cleared, or for
count=N uses, or for forSeconds=N. Kinds, and what else they take:

  throttle               [action=RunTask] [dressed=true]: Rate exceeded
  capacity               [capacityProvider=FARGATE_SPOT]: RunTask finds no capacity
  vcpu-quota             RunTask finds the account's vCPUs used up
  outage                 [service=ecs|logs|ssm|secretsmanager|kms] [manner=error|hang|reset]: it does not answer
  run-task-unanswered    when=before|after [manner=hang|reset]: nobody learns whether the task was started
  registration-conflict  RegisterTaskDefinition finds another at work
  missing                [taskArn=ARN] [seconds=5]: DescribeTasks does not see the task, or new ones at first
  events                 [lose=0.5] [duplicate=0.5] [reorder=0.5]: chances for each event
  stranger               [name=NAME]: new tasks show a container nobody asked for
  empty-log-pages        GetLogEvents answers empty pages before the end
  access-denied          [action=ExecuteCommand]: ECS, or KMS for one of its actions, says that a policy forbids it
  data-channel           [towards=client|agent] [drop=0.1] [duplicate=0.1] [reorder=0.1] [delayMs=50]: chances for each
                         frame of a session of ExecuteCommand
  data-channel-cut       [count=1]: the client of such a session loses its connection
  spot-interruption      taskArn=ARN: at once
  retirement             taskArn=ARN [noticeSeconds=60]: at once, or announced

  --directory DIR        the local cloud's, where its key is (default: .local)
`;

/** Reads the command line. Never throws: a mistake is an answer that names it. */
export const parseControl = (argv: readonly string[]): Control => {
  try {
    const { values, positionals } = parseArgs({
      args: [...argv],
      allowPositionals: true,
      options: {
        directory: { type: 'string', default: '.local' },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
    const { directory, help } = values;
    const [subject, verb, ...rest] = positionals;
    if (help || subject === undefined) return { kind: 'help' };
    if (subject !== 'faults') return mistake(`"${subject}" is not known: only faults can be controlled`);
    switch (verb) {
      case 'list':
      case 'clear':
        return rest.length === 0 ? { kind: verb, directory } : mistake(`"faults ${verb}" takes nothing more`);
      case 'add':
        return add(directory, rest);
      default:
        return mistake(`faults: "${verb ?? ''}" is none of list, add, clear`);
    }
  } catch (error) {
    return mistake(error instanceof Error ? error.message : String(error));
  }
};

const mistake = (message: string): Control => ({ kind: 'mistake', message });

const add = (directory: string, [kind, ...members]: readonly string[]): Control => {
  if (kind === undefined) return mistake('faults add: name the kind of fault');
  const pairs: [string, unknown][] = [];
  for (const member of members) {
    const [, name, value] = /^(\w+)=(.*)$/s.exec(member) ?? [];
    if (name === undefined || value === undefined) return mistake(`faults add: "${member}" is not NAME=VALUE`);
    pairs.push([name, valueOf(value)]);
  }
  const fault = z.safeParse(faultSchema, { kind, ...Object.fromEntries(pairs) });
  return fault.success ? { kind: 'add', directory, fault: fault.data } : mistake(faultProblems(fault.error));
};

/** Numbers and truth values as such; anything else is text. */
const valueOf = (text: string): unknown => {
  if (text === 'true' || text === 'false') return text === 'true';
  return text !== '' && Number.isFinite(Number(text)) ? Number(text) : text;
};
