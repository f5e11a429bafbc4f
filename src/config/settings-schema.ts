import * as z from 'zod/mini';
import { parseQuantity } from '../core/quantity.ts';

const NAME = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const QUALIFIED = /^([a-z0-9]([-a-z0-9.]*[a-z0-9])?\/)?[A-Za-z0-9]([-\w.]{0,61}[A-Za-z0-9])?$/;
const LABEL_VALUE = /^([A-Za-z0-9]([-\w.]{0,61}[A-Za-z0-9])?)?$/;

const isPositive = (text: string): boolean => {
  try {
    return parseQuantity(text).nano > 0n;
  } catch {
    return false;
  }
};

// YAML reads `cpu: 20` as a number.
const amount = (message: string, valid: (text: string) => boolean) =>
  z.pipe(
    z.union([z.string(), z.number()], message),
    z.pipe(z.transform(String), z.string().check(z.refine(valid, message))),
  );

const quantity = amount('must be a quantity above zero, such as 20, 500m or 80Gi', isPositive);
const count = amount('must be a whole number above zero', (text) => /^[1-9]\d{0,6}$/.test(text));

const taint = z.strictObject({
  key: z.string().check(z.regex(QUALIFIED, 'must be a label name, such as svk.dev/provider')),
  value: z.exactOptional(
    z.string().check(z.regex(LABEL_VALUE, 'must be a label value: at most 63 letters, digits, -, _ or .')),
  ),
  effect: z.enum(['NoSchedule', 'PreferNoSchedule', 'NoExecute']),
});

const labels = z
  .record(
    z.string(),
    z.string().check(z.regex(LABEL_VALUE, 'must be a label value: at most 63 letters, digits, -, _ or .')),
  )
  .check(
    z.superRefine((given, context) => {
      for (const key of Object.keys(given)) {
        if (QUALIFIED.test(key)) continue;
        const message = 'is no label name: at most 63 letters, digits, -, _ or ., after an optional prefix and /';
        context.addIssue({ code: 'custom', path: [key], message, input: given });
      }
    }),
  );

const node = z.strictObject({
  name: z
    .string()
    .check(
      z.regex(NAME, 'must be lower-case letters, digits and hyphens, as a Node name'),
      z.maxLength(63, 'must have 63 characters at most: it becomes the label kubernetes.io/hostname'),
    ),
  capacity: z.strictObject({
    cpu: quantity,
    memory: quantity,
    pods: count,
    'ephemeral-storage': z.exactOptional(quantity),
  }),
  labels: z._default(labels, {}),
  taints: z.optional(z.array(taint)),
  architecture: z._default(z.enum(['amd64', 'arm64']), 'amd64'),
  profile: z.optional(z.string().check(z.minLength(1, 'must name one of profiles'))),
});

const common = z.strictObject({
  deployment: z
    .string()
    .check(
      z.regex(
        /^[a-z][a-z0-9-]{0,19}$/,
        'must be a lower-case letter, then lower-case letters, digits or hyphens, 20 characters at most',
      ),
    ),
  provider: z.string(),
  nodes: z.array(node).check(z.minLength(1, 'needs at least one node')),
  helperImage: z.optional(z.string().check(z.minLength(1, 'must be an image reference, or left out'))),
});

export type CommonSettings = z.infer<typeof common>;

/** The part of the settings that is equal for all providers; `ownKeys` are the chosen provider's, for it to read. */
export const commonSettings = (
  providers: readonly string[],
  ownKeys: readonly string[],
): z.ZodMiniType<CommonSettings> =>
  z.extend(common, {
    ...Object.fromEntries(ownKeys.map((key) => [key, z.optional(z.unknown())])),
    provider: z.enum(Object.fromEntries(providers.map((name) => [name, name]))),
  });
