import { beforeAll, describe, expect, it } from 'vitest';
import { type ApiWorld, aConfigMap, aPod } from './api-world.ts';

const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io';
const METADATA = 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io';

interface List {
  readonly metadata: {
    readonly continue?: string;
    readonly resourceVersion: string;
    readonly remainingItemCount?: number;
  };
  readonly items: readonly { readonly metadata: { readonly name: string } }[];
}

/** Lists: selectors, pages, tables. */
export const describeLists = (world: () => ApiWorld): void => {
  describe('list', () => {
    beforeAll(async () => {
      const { api, base } = world();
      for (const [index, name] of ['c1', 'c2', 'c3', 'c4'].entries()) {
        const labels = { list: 'yes', index: String(index), ...(index % 2 === 0 ? { even: '' } : {}) };
        await api.post(`${base}/configmaps`, aConfigMap(name, { a: '1' }, { labels }));
      }
    });

    const names = async (query: string): Promise<readonly string[]> => {
      const { api, base } = world();
      const { items } = (await api.get(`${base}/configmaps?${query}`)).body as List;
      return items.map(({ metadata }) => metadata.name);
    };
    const selected = (selector: string): Promise<readonly string[]> =>
      names(`labelSelector=${encodeURIComponent(selector)}`);

    it.each([
      { selector: 'list=yes', want: ['c1', 'c2', 'c3', 'c4'] },
      { selector: 'list==yes,index!=0', want: ['c2', 'c3', 'c4'] },
      { selector: 'index in (1, 2)', want: ['c2', 'c3'] },
      { selector: 'list,index notin (1,2,3)', want: ['c1'] },
      { selector: 'even', want: ['c1', 'c3'] },
      { selector: 'list,!even', want: ['c2', 'c4'] },
      { selector: 'even=', want: ['c1', 'c3'] },
    ])('selects by labels: $selector', async ({ selector, want }) => {
      expect(await selected(selector)).toEqual(want);
    });

    it.each([
      { selector: 'labelSelector=i%20in', message: "unable to parse requirement: found '' expected: '('" },
      {
        selector: 'labelSelector=a%3D%3D%3Db',
        message: "unable to parse requirement: found '=', expected: identifier",
      },
      { selector: 'fieldSelector=foo', message: "invalid selector: 'foo'; can't understand 'foo'" },
      {
        selector: 'fieldSelector=data.x%3Da',
        message: '"data.x" is not a known field selector: only "metadata.name", "metadata.namespace"',
      },
    ])('refuses $selector', async ({ selector, message }) => {
      const { api, base } = world();
      expect((await api.get(`${base}/configmaps?${selector}`)).body).toMatchObject({ code: 400, message });
    });

    it('selects by fields', async () => {
      const { api, base } = world();
      expect(await names('fieldSelector=metadata.name%3Dc2')).toEqual(['c2']);
      await api.post(`${base}/pods`, aPod('free'));
      await api.post(`${base}/pods`, aPod('placed', { nodeName: 'elsewhere' }));
      const pods = async (selector: string): Promise<unknown> =>
        ((await api.get(`${base}/pods?fieldSelector=${encodeURIComponent(selector)}`)).body as List).items.map(
          ({ metadata }) => metadata.name,
        );
      expect(await pods('spec.nodeName=elsewhere')).toEqual(['placed']);
      expect(await pods('spec.nodeName=,status.phase!=Running')).toEqual(['free']);
      expect(await pods('status.phase=Pending,metadata.name!=free')).toEqual(['placed']);
    });

    it('comes in pages', async () => {
      const { api, base } = world();
      const page = async (query: string): Promise<List> =>
        (await api.get(`${base}/configmaps?limit=2${query}`)).body as List;
      const first = await page('');
      expect(first.items.map(({ metadata }) => metadata.name)).toEqual(['c1', 'c2']);
      const second = await page(`&continue=${encodeURIComponent(first.metadata.continue ?? '')}`);
      expect(second.items.map(({ metadata }) => metadata.name)).toEqual(['c3', 'c4']);
      expect(second.metadata.resourceVersion).toBe(first.metadata.resourceVersion);
      const selector = await page('&labelSelector=list');
      expect(selector.metadata.continue).toEqual(expect.any(String));
      expect(selector.metadata.remainingItemCount).toBeUndefined();
      expect((await api.get(`${base}/configmaps?limit=2&continue=abc`)).body).toMatchObject({ code: 400 });
    });

    it('refuses a version from the future and half a match', async () => {
      const { api, base } = world();
      expect((await api.get(`${base}/configmaps?resourceVersion=999999999`)).body).toMatchObject({
        code: 504,
        reason: 'Timeout',
      });
      expect((await api.get(`${base}/configmaps?resourceVersionMatch=Exact`)).body).toMatchObject({ code: 422 });
    });

    it('shows metadata alone', async () => {
      const { api, base } = world();
      const answer = await api.get(`${base}/configmaps?labelSelector=even`, { accept: METADATA });
      expect(answer.body).toMatchObject({
        kind: 'PartialObjectMetadataList',
        apiVersion: 'meta.k8s.io/v1',
        items: [
          { kind: 'PartialObjectMetadata', metadata: { name: 'c1' } },
          { kind: 'PartialObjectMetadata', metadata: { name: 'c3' } },
        ],
      });
      expect(answer.text).not.toContain('"data"');
    });

    it('shows tables', async () => {
      const { api, base } = world();
      const answer = await api.get(`${base}/configmaps?labelSelector=even`, { accept: TABLE });
      expect(answer.body).toMatchObject({
        kind: 'Table',
        apiVersion: 'meta.k8s.io/v1',
        columnDefinitions: [
          { name: 'Name', type: 'string', format: 'name', priority: 0 },
          { name: 'Data', type: 'string', format: '', priority: 0 },
          { name: 'Age', type: 'string', format: '', priority: 0 },
        ],
        rows: [
          { cells: ['c1', 1, expect.stringMatching(/^\d+s$/)], object: { kind: 'PartialObjectMetadata' } },
          { cells: ['c3', 1, expect.stringMatching(/^\d+s$/)], object: { metadata: { name: 'c3' } } },
        ],
      });
      const bare = await api.get(`${base}/configmaps/c1?includeObject=None`, { accept: TABLE });
      expect(bare.body).toMatchObject({ rows: [{ cells: ['c1', 1, expect.any(String)], object: null }] });
    });
  });
};
