import type { Taint } from '../../model/kubernetes.ts';
import type { Variables } from '../../ports/provider-factory.ts';
import { parseKey, parseKeyValue } from '../values/kubernetes-names.ts';
import { parseOneOf } from '../values/plain.ts';
import type { FlagValues } from './flag-values.ts';

const parseEffect = parseOneOf('NoSchedule', 'PreferNoSchedule', 'NoExecute');

/**
 * The taint of the node, undefined where it has none. As with virtual-kubelet the variables win over the flag, and one
 * that is set but empty counts as set.
 */
export const taintOf = (
  flags: FlagValues,
  environment: Variables,
  { provider, isDisabled }: { readonly provider: string; readonly isDisabled: boolean },
): Taint | undefined => {
  if (isDisabled) return undefined;
  const {
    VKUBELET_TAINT_KEY: key = flags.text('taint') ?? '',
    VKUBELET_TAINT_VALUE: value = provider,
    VKUBELET_TAINT_EFFECT: effect = 'NoSchedule',
  } = environment;
  if (key === '') flags.faults.push('VKUBELET_TAINT_KEY must not be empty: leave it out, or give --disable-taint');
  else flags.check(environment['VKUBELET_TAINT_KEY'] === undefined ? '--taint' : 'VKUBELET_TAINT_KEY', parseKey(key));
  if (environment['VKUBELET_TAINT_VALUE'] !== undefined) flags.check('VKUBELET_TAINT_VALUE', parseKeyValue(value));
  return { key, value, effect: flags.check('VKUBELET_TAINT_EFFECT', parseEffect(effect)) ?? 'NoSchedule' };
};
