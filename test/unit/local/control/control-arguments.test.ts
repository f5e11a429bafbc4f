import { describe, expect, it } from 'vitest';
import { faultSchema } from '../../../../infra/local/aws/faults/fault-model.ts';
import { CONTROL_USAGE, parseControl } from '../../../../infra/local/control/control-arguments.ts';

describe('npm run local', () => {
  it.each([
    { argv: [], want: { kind: 'help' } },
    { argv: ['faults', '--help'], want: { kind: 'help' } },
    { argv: ['faults', 'list'], want: { kind: 'list', directory: '.local' } },
    { argv: ['faults', 'clear', '--directory', 'd'], want: { kind: 'clear', directory: 'd' } },
    {
      argv: ['faults', 'add', 'capacity', 'forSeconds=60', 'capacityProvider=FARGATE_SPOT'],
      want: {
        kind: 'add',
        directory: '.local',
        fault: { kind: 'capacity', forSeconds: 60, capacityProvider: 'FARGATE_SPOT' },
      },
    },
    {
      argv: ['faults', 'add', 'throttle', 'action=RunTask', 'dressed=true', 'count=2'],
      want: {
        kind: 'add',
        directory: '.local',
        fault: { kind: 'throttle', action: 'RunTask', dressed: true, count: 2 },
      },
    },
    {
      argv: ['faults', 'add', 'events', 'lose=0.5'],
      want: { kind: 'add', directory: '.local', fault: { kind: 'events', lose: 0.5 } },
    },
  ])('understands $argv', ({ argv, want }) => {
    expect(parseControl(argv)).toEqual(want);
  });

  it.each([
    { argv: ['pods'], text: '"pods" is not known' },
    { argv: ['faults'], text: 'is none of list, add, clear' },
    { argv: ['faults', 'list', 'more'], text: '"faults list" takes nothing more' },
    { argv: ['faults', 'add'], text: 'name the kind of fault' },
    { argv: ['faults', 'add', 'capacity', 'soon'], text: '"soon" is not NAME=VALUE' },
    { argv: ['faults', 'add', 'gremlins'], text: 'kind: there is no such fault' },
    { argv: ['faults', 'add', 'capacity', 'count=0'], text: 'count: must be above 0' },
    { argv: ['faults', 'add', 'events', 'lose=2'], text: 'lose: must be at most 1' },
    { argv: ['faults', 'add', 'outage', 'manner=slow'], text: 'manner: must be one of error, hang, reset' },
    { argv: ['faults', 'add', 'missing', 'seconds=soon'], text: 'seconds: must be a number' },
    { argv: ['faults', 'add', 'run-task-unanswered'], text: 'when: must be one of before, after' },
    { argv: ['faults', 'add', 'capacity', 'colour=blue'], text: 'the fault: takes no "colour"' },
    { argv: ['faults', 'list', '--loud'], text: "Unknown option '--loud'" },
  ])('names the mistake in $argv', ({ argv, text }) => {
    const control = parseControl(argv);
    expect(control.kind === 'mistake' ? control.message : control).toContain(text);
  });

  it('tells of every kind of fault there is', () => {
    const kinds = faultSchema.def.options.map(({ def }) => def.shape.kind.def.values[0]);
    expect(kinds.filter((kind) => !CONTROL_USAGE.includes(`\n  ${kind} `))).toEqual([]);
  });
});
