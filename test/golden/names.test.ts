import { describe, expect, it } from 'vitest';
import { preparePod } from '../../src/providers/fargate/prepare/prepare-pod.ts';
import { aDeployment } from './a-deployment.ts';
import { corpusPod } from './corpus.ts';

/** Dots, 226 characters of name, 62 of namespace, a container name of 63. */
const pod = corpusPod('27');
const container = pod.spec?.containers[0]?.name ?? '';
const preparedAs = (name: string) => {
  const renamed = { ...pod, metadata: { ...pod.metadata, name } };
  const preparation = preparePod(
    renamed,
    { node: 'fargate', environment: { [container]: { env: [] } } },
    aDeployment(),
  );
  if (!preparation.ok) throw new Error(JSON.stringify(preparation.problems));
  return preparation.prepared;
};

describe('T-10 names that do not fit', () => {
  const name = pod.metadata?.name ?? '';

  it('name nothing: the family comes from the content, and two pods of one template share it', () => {
    const { definition } = preparedAs(name);
    expect(name).toHaveLength(226);
    expect(definition.family).toMatch(/^svk-dev-[0-9a-f]{16,64}$/);
    expect(preparedAs(`${name.slice(0, -1)}d`).definition.family).toBe(definition.family);
  });

  it('stand in tags alone, at most 50 of them, in letters that ECS takes and as long as it takes them', () => {
    const { tags = [] } = JSON.parse(JSON.stringify(preparedAs(name).run)) as {
      readonly tags?: readonly { readonly key: string; readonly value: string }[];
    };
    expect(tags).toContainEqual({ key: 'svk.dev/pod', value: name });
    expect(tags).toContainEqual({
      key: 'example.com/note',
      value: 'annotations may hold spaces_ : / _ _ = + and unicode __',
    });
    expect(tags.length).toBeLessThanOrEqual(50);
    for (const { key, value } of tags) {
      expect(key).toMatch(/^[A-Za-z0-9 +\-=._:/@]{1,128}$/);
      expect(value).toMatch(/^[A-Za-z0-9 +\-=._:/@]{0,256}$/);
    }
  });
});
