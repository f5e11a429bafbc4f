import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { VERSION } from '../../../src/app/version.ts';

it('is the one in package.json', () => {
  const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly version: string };
  expect(VERSION).toBe(manifest.version);
});
