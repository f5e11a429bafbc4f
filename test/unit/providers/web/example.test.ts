import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const read = (path: string): string => readFileSync(new URL(`../../../../${path}`, import.meta.url), 'utf8');

describe('the example in docs/providers.md', () => {
  it('is the file the contract suite runs', () => {
    expect(read('docs/providers.md')).toContain(`\`\`\`js\n${read('examples/web-provider/server.mjs')}\`\`\`\n`);
  });

  it('has less than 100 lines', () => {
    expect(read('examples/web-provider/server.mjs').trimEnd().split('\n').length).toBeLessThan(100);
  });
});
