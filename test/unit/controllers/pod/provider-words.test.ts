import { expect, it } from 'vitest';
import {
  ignoredReason,
  isUnsupported,
  sizeReason,
  unsupportedReason,
} from '../../../../src/controllers/pod/provider-words.ts';

it.each([
  { title: 'Fargate', reasons: ['UnsupportedOnFargate', 'IgnoredOnFargate', 'FargateSize'] },
  { title: undefined, reasons: ['Unsupported', 'Ignored', 'Size'] },
])('names a provider that users know as $title', ({ title, reasons }) => {
  expect([unsupportedReason(title), ignoredReason(title), sizeReason(title)]).toEqual(reasons);
  expect(reasons.map(isUnsupported)).toEqual([true, false, false]);
});
