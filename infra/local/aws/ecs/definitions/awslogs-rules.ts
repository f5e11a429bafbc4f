import type { ContainerInput, Problems } from './schema.ts';

const known = new Set([
  'awslogs-create-group',
  'awslogs-datetime-format',
  'awslogs-group',
  'awslogs-multiline-pattern',
  'awslogs-region',
  'awslogs-stream-prefix',
  'max-buffer-size',
  'mode',
]);

const needed = ['awslogs-group', 'awslogs-region', 'awslogs-stream-prefix'];

/** The rules of the log drivers Fargate has; options are checked for awslogs only. */
export function* awslogsProblems({ name, logConfiguration }: ContainerInput): Problems {
  if (!logConfiguration) return;
  const { logDriver = '', options = {} } = logConfiguration;
  if (!['awslogs', 'splunk', 'awsfirelens'].includes(logDriver)) {
    yield `Fargate compatible task definitions do not support log driver '${logDriver}'`;
  }
  if (logDriver !== 'awslogs') return;
  const missing = needed.filter((option) => !options[option]);
  if (missing.length) yield `Log driver awslogs requires options: ${missing.join(', ')}`;
  const foreign = Object.keys(options).filter((option) => !known.has(option));
  if (foreign.length) yield `Log driver awslogs disallows options: ${foreign.join(', ')}`;
  const { mode, 'awslogs-create-group': create } = options;
  if (mode !== undefined && mode !== 'blocking' && mode !== 'non-blocking') {
    yield `Invalid log option 'mode' of container '${name}': blocking or non-blocking.`;
  }
  if (create !== undefined && create !== 'true' && create !== 'false') {
    yield `Invalid log option 'awslogs-create-group' of container '${name}': true or false.`;
  }
}
