import { describe, expect, it } from 'vitest';
import { PermanentError } from '../../../src/core/errors.ts';
import { parseProviderConfig } from '../../../src/providers/provider-config.ts';
import { providerFactory, registeredProviders } from '../../../src/providers/registry.ts';

describe('the provider registry', () => {
  it('knows its providers by name', () => {
    expect(registeredProviders()).toEqual(['fargate', 'mock', 'web']);
    expect(registeredProviders().map((name) => providerFactory(name).name)).toEqual(['fargate', 'mock', 'web']);
  });

  it.each(['', 'Mock', 'aws', 'constructor'])('says which there are where there is no %j', (name) => {
    expect(() => providerFactory(name)).toThrow(PermanentError);
    expect(() => providerFactory(name)).toThrow(
      `provider "${name}" is not registered: name one of fargate, mock, web by --provider`,
    );
  });
});

describe('a configuration file', () => {
  it.each([
    ['YAML', 'vk:\n  cpu: 2\n'],
    ['JSON', '{"vk": {"cpu": 2}}'],
  ])('may be %s', (_form, text) => {
    expect(parseProviderConfig(text, 'vk.yml')).toEqual({ vk: { cpu: 2 } });
  });

  it.each(['', '\n', '# nothing\n', 'null'])('%j holds nothing', (text) => {
    expect(parseProviderConfig(text, 'vk.yml')).toBeUndefined();
  });

  it('names every place where it is neither', () => {
    const text = 'vk:\n  cpu: 2\n  cpu: 3\nother: [1\n';
    expect(() => parseProviderConfig(text, 'vk.yml')).toThrow(PermanentError);
    expect(() => parseProviderConfig(text, 'vk.yml')).toThrow(
      /^vk\.yml is neither YAML nor JSON:\n {2}line 3: Map keys must be unique\n {2}line 5: Flow sequence/,
    );
  });
});
