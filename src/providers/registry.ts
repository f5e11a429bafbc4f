import { PermanentError } from '../core/errors.ts';
import type { ProviderFactory } from '../ports/provider-factory.ts';
import { fargateFactory } from './fargate/fargate-factory.ts';
import { mockFactory } from './mock/mock-factory.ts';
import { webFactory } from './web/web-factory.ts';

/** Every provider `--provider` may name. A new one is added here. */
const FACTORIES: readonly ProviderFactory[] = [fargateFactory, mockFactory, webFactory];

/** Their names, in alphabetical order. */
export const registeredProviders = (): readonly string[] => FACTORIES.map(({ name }) => name).sort();

/** The factory registered under this name. @throws {PermanentError} naming those that are. */
export const providerFactory = (name: string): ProviderFactory => {
  const factory = FACTORIES.find((one) => one.name === name);
  if (factory) return factory;
  throw new PermanentError(
    `provider ${JSON.stringify(name)} is not registered: name one of ${registeredProviders().join(', ')} by --provider`,
  );
};
