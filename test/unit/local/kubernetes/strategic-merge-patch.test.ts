import { describe, expect, it } from 'vitest';
import { applyConfiguration } from '../../../../infra/local/kubernetes/patch/apply-configuration.ts';
import { strategicMergePatch } from '../../../../infra/local/kubernetes/patch/strategic-merge-patch.ts';

const POD = 'io.k8s.api.core.v1.Pod';

describe('a strategic merge patch', () => {
  it.each([
    {
      rule: 'merges containers by name, new ones before those that followed nothing',
      target: { spec: { containers: [{ name: 'a', image: '1', tty: true }, { name: 'b' }] } },
      patch: { spec: { containers: [{ name: 'b', image: '2' }, { name: 'c' }] } },
      want: { spec: { containers: [{ name: 'a', image: '1', tty: true }, { name: 'b', image: '2' }, { name: 'c' }] } },
    },
    {
      rule: 'merges environment within a container',
      target: { spec: { containers: [{ name: 'a', env: [{ name: 'X', value: '1' }, { name: 'Y' }] }] } },
      patch: {
        spec: {
          containers: [
            {
              name: 'a',
              env: [
                { name: 'X', value: '2' },
                { name: 'Y', $patch: 'delete' },
              ],
            },
          ],
        },
      },
      want: { spec: { containers: [{ name: 'a', env: [{ name: 'X', value: '2' }] }] } },
    },
    {
      rule: 'merges ports by number and mounts by path',
      target: {
        spec: {
          containers: [{ name: 'a', ports: [{ containerPort: 80 }], volumeMounts: [{ mountPath: '/x', name: 'v' }] }],
        },
      },
      patch: {
        spec: {
          containers: [
            {
              name: 'a',
              ports: [{ containerPort: 80, name: 'web' }],
              volumeMounts: [{ mountPath: '/x', readOnly: true }],
            },
          ],
        },
      },
      want: {
        spec: {
          containers: [
            {
              name: 'a',
              ports: [{ containerPort: 80, name: 'web' }],
              volumeMounts: [{ mountPath: '/x', name: 'v', readOnly: true }],
            },
          ],
        },
      },
    },
    {
      rule: 'replaces atomic lists',
      target: { spec: { tolerations: [{ key: 'a' }], containers: [{ name: 'a', command: ['x', 'y'] }] } },
      patch: { spec: { tolerations: [{ key: 'b' }], containers: [{ name: 'a', command: ['z'] }] } },
      want: { spec: { tolerations: [{ key: 'b' }], containers: [{ name: 'a', command: ['z'] }] } },
    },
    {
      rule: 'adds finalizers, and removes those it is told to',
      target: { metadata: { finalizers: ['a', 'b'] } },
      patch: { metadata: { finalizers: ['c'], '$deleteFromPrimitiveList/finalizers': ['a'] } },
      want: { metadata: { finalizers: ['c', 'b'] } },
    },
    {
      rule: 'removes fields set to null',
      target: { metadata: { labels: { a: '1', b: '2' } } },
      patch: { metadata: { labels: { a: null } } },
      want: { metadata: { labels: { b: '2' } } },
    },
    {
      rule: 'replaces a map as told',
      target: { metadata: { labels: { a: '1', b: '2' } } },
      patch: { metadata: { labels: { $patch: 'replace', c: '3' } } },
      want: { metadata: { labels: { c: '3' } } },
    },
    {
      rule: 'replaces a list as told',
      target: { status: { podIPs: [{ ip: '1' }] } },
      patch: { status: { podIPs: [{ $patch: 'replace' }, { ip: '2' }] } },
      want: { status: { podIPs: [{ ip: '2' }] } },
    },
    {
      rule: 'keeps only the keys it is told of',
      target: { spec: { volumes: [{ name: 'v', emptyDir: {} }] } },
      patch: { spec: { volumes: [{ $retainKeys: ['name', 'hostPath'], name: 'v', hostPath: { path: '/' } }] } },
      want: { spec: { volumes: [{ name: 'v', hostPath: { path: '/' } }] } },
    },
    {
      rule: 'sorts as told, with others before what followed them',
      target: { spec: { containers: [{ name: 'x' }, { name: 'a' }, { name: 'b' }] } },
      patch: { spec: { '$setElementOrder/containers': [{ name: 'b' }, { name: 'a' }] } },
      want: { spec: { containers: [{ name: 'x' }, { name: 'b' }, { name: 'a' }] } },
    },
  ])('$rule', ({ target, patch, want }) => {
    expect(strategicMergePatch(POD, target, patch)).toEqual(want);
  });

  it('leaves its target alone', () => {
    const target = { metadata: { labels: { a: '1' } } };
    strategicMergePatch(POD, target, { metadata: { labels: { a: '2' } } });
    expect(target).toEqual({ metadata: { labels: { a: '1' } } });
  });

  it.each([
    {
      patch: { spec: { containers: [{ image: 'x' }] } },
      message: 'map: map[image:x] does not contain declared merge key: name',
    },
    { patch: { spec: { containers: 5 } }, message: 'cannot restore slice from int64' },
    { patch: { spec: { containers: { a: 1 } } }, message: 'cannot restore slice from map' },
  ])('is refused: $message', ({ patch, message }) => {
    expect(() => strategicMergePatch(POD, {}, patch)).toThrow(message);
  });
});

describe('an applied configuration', () => {
  it('takes away what its manager no longer mentions, and nothing of others', () => {
    const previous = {
      metadata: { labels: { mine: '1', gone: '1' } },
      spec: { containers: [{ name: 'a', env: [{ name: 'X' }, { name: 'Y' }] }, { name: 'b' }] },
    };
    const current = {
      metadata: { labels: { mine: '1', gone: '1', others: '1' } },
      spec: {
        containers: [{ name: 'a', env: [{ name: 'X' }, { name: 'Y' }, { name: 'Z' }] }, { name: 'b' }, { name: 'c' }],
      },
    };
    const next = { metadata: { labels: { mine: '2' } }, spec: { containers: [{ name: 'a', env: [{ name: 'X' }] }] } };
    expect(applyConfiguration(POD, current, previous, next)).toEqual({
      metadata: { labels: { mine: '2', others: '1' } },
      spec: { containers: [{ name: 'a', env: [{ name: 'X' }, { name: 'Z' }] }, { name: 'c' }] },
    });
  });
});
