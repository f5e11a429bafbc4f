import { describe, expect, it } from 'vitest';
import type { ResolvedContainer, ResolvedVariable } from '../../../../src/model/environment.ts';
import type { FargatePrepared } from '../../../../src/providers/fargate/prepare/prepared.ts';
import { definitionOf, prepare, prepared, problemsOf, variable } from './prepare-harness.ts';

describe('sharing a definition', () => {
  const environment = (podName: string): ResolvedContainer => ({
    env: [variable('MODE', 'fast'), variable('POD_NAME', podName, 'identity'), variable('PW', 'hunter2', 'secret')],
    command: [
      { value: 'run', origin: 'template' },
      { value: `--name=${podName}`, origin: 'identity' },
    ],
    args: [{ value: '-v', origin: 'template' }],
  });

  it('puts what tells pods apart into overrides, the whole rest of the command line with it', () => {
    const one = prepared({ environment: environment('web-1'), metadata: { name: 'web-1' } });
    const two = prepared({ environment: environment('web-2'), metadata: { name: 'web-2' } });
    expect(two.definitionHash).toBe(one.definitionHash);
    expect(two.definition).toEqual(one.definition);
    expect(one.definition.family).toBe(`svk-dev-${one.definitionHash}`);
    expect(one.definition.containerDefinitions?.[0]).toMatchObject({
      entryPoint: ['run'],
      environment: [{ name: 'MODE', value: 'fast' }],
    });
    expect(one.definition.containerDefinitions?.[0]).not.toHaveProperty('command');
    expect(two.run.overrides).toEqual({
      containerOverrides: [
        {
          name: 'main',
          command: ['--name=web-2', '-v'],
          environment: [{ name: 'POD_NAME', value: 'web-2' }],
        },
      ],
    });
  });

  it('gives another definition for anything else that differs', () => {
    const hashes = [{}, { container: { image: 'app:2' } }, { spec: { terminationGracePeriodSeconds: 5 } }].map(
      (change) => prepared(change).definitionHash,
    );
    expect(new Set(hashes).size).toBe(3);
  });

  it('keeps the entry point of the image where the pod names no command', () => {
    const definition = definitionOf({ environment: { env: [], args: [{ value: '-v', origin: 'template' }] } });
    expect(definition).toMatchObject({ command: ['-v'] });
    expect(definition).not.toHaveProperty('entryPoint');
  });
});

describe('secrets', () => {
  const withSecret = (value: string, namespace = 'shop'): FargatePrepared =>
    prepared({ environment: { env: [variable('PW', value, 'secret')] }, metadata: { namespace } });

  it('travel as parameters named after Secret, key and content', () => {
    const { parameters, definition } = withSecret('hunter2');
    expect(parameters.map(({ value }) => value)).toEqual(['hunter2']);
    expect(parameters[0]?.path).toMatch(/^\/svk\/dev\/shop\/keys\/[0-9a-f]{16}\/pw$/);
    expect(definition.containerDefinitions?.[0]?.secrets).toEqual([{ name: 'PW', valueFrom: parameters[0]?.path }]);
  });

  it('never appear in what is registered, sent or told', () => {
    const container = {
      env: [variable('PW', 'hunter2', 'secret')],
      args: [{ value: 'x-hunter2', origin: 'secret' as const, variables: ['PW'] }],
    };
    const { definition, run } = withSecret('hunter2');
    expect(JSON.stringify([definition, run, prepare({ environment: container })])).not.toContain('hunter2');
  });

  it('have equal paths for equal contents and others for others', () => {
    const path = (one: FargatePrepared): string | undefined => one.parameters[0]?.path;
    expect(path(withSecret('a'))).toBe(path(withSecret('a')));
    expect(path(withSecret('a'))).not.toBe(path(withSecret('b')));
    expect(path(withSecret('a', 'one'))?.slice(-19)).not.toBe(path(withSecret('a', 'two'))?.slice(-19));
  });

  it('that are empty are plain variables, since parameters cannot be empty', () => {
    const { parameters, definition } = withSecret('');
    expect(parameters).toEqual([]);
    expect(definition.containerDefinitions?.[0]?.environment).toEqual([{ name: 'PW', value: '' }]);
  });

  it('in a command line are refused by variable', () => {
    const environment: ResolvedContainer = {
      env: [],
      command: [{ value: 'x', origin: 'secret', variables: ['PW', 'URL'] }],
    };
    const [problem] = problemsOf({ environment });
    expect(problem?.[0]).toBe('spec.containers[0].command[0]');
    expect(problem?.[1]).toContain('$(PW), $(URL)');
  });

  it('longer than a parameter are refused by variable', () => {
    const [problem] = problemsOf({ environment: { env: [variable('CERT', 'x'.repeat(8193), 'secret')] } });
    expect(problem?.[1]).toContain('CERT: its secret value has 8193 bytes');
  });
});

describe('size limits', () => {
  const many = (count: number, length: number, extra: Partial<ResolvedVariable> = {}): ResolvedVariable[] =>
    Array.from({ length: count }, (_, index) => ({ ...variable(`V${index}`, 'x'.repeat(length)), ...extra }));

  it('refuse a definition above 64 KiB, naming the largest variables', () => {
    const env = [...many(100, 700), variable('BIG', 'y'.repeat(2000))];
    const [problem] = problemsOf({ environment: { env } });
    expect(problem?.[0]).toBe('spec.containers[0].env');
    expect(problem?.[1]).toMatch(/would have \d{5} bytes.*65536.*BIG \(2003 bytes\), V10 \(703 bytes\)/);
  });

  it('let service variables go first, with a note', () => {
    const env = [...many(10, 7000, { serviceLink: true }), variable('OWN', 'stays')];
    const preparation = prepare({ environment: { env } });
    expect(preparation).toMatchObject({ ok: true, notes: [{ field: 'spec.enableServiceLinks' }] });
    expect(prepared({ environment: { env } }).definition.containerDefinitions?.[0]?.environment).toEqual([
      { name: 'OWN', value: 'stays' },
    ]);
  });

  it('refuse overrides above 8192 characters', () => {
    const env = [variable('LABELS', 'x'.repeat(8200), 'identity')];
    const [problem] = problemsOf({ environment: { env } });
    expect(problem?.[1]).toContain('LABELS (8206 bytes)');
  });
});
