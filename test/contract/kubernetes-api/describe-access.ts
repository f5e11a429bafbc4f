import { describe, expect, it } from 'vitest';
import { type ApiWorld, aPod } from './api-world.ts';

const REVIEWS = '/apis/authentication.k8s.io/v1/tokenreviews';
const ACCESS = '/apis/authorization.k8s.io/v1/subjectaccessreviews';

interface Minted {
  readonly status: { readonly token: string; readonly expirationTimestamp: string };
}

const claimsOf = (token: string): unknown =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'));

/** Who is who, and who may what. */
export const describeAccess = (world: () => ApiWorld): void => {
  describe('token', () => {
    it('is minted for a ServiceAccount and known again', async () => {
      const { api, base, namespace } = world();
      const minted = await api.post(`${base}/serviceaccounts/default/token`, { spec: { audiences: ['x'] } });
      expect(minted.code).toBe(201);
      const { token } = (minted.body as Minted).status;
      expect(claimsOf(token)).toMatchObject({
        aud: ['x'],
        sub: `system:serviceaccount:${namespace}:default`,
        'kubernetes.io': { namespace, serviceaccount: { name: 'default' } },
      });
      const review = (spec: object): Promise<{ readonly body: unknown }> => api.post(REVIEWS, { spec });
      expect((await review({ token, audiences: ['x'] })).body).toMatchObject({
        status: {
          authenticated: true,
          audiences: ['x'],
          user: {
            username: `system:serviceaccount:${namespace}:default`,
            groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'],
          },
        },
      });
      const other = (await review({ token })).body as { status: { authenticated?: boolean } };
      expect(other.status.authenticated).toBeUndefined();
      const junk = (await review({ token: 'junk' })).body as { status: { authenticated?: boolean; error: string } };
      expect(junk.status.authenticated).toBeUndefined();
      expect(junk.status.error).toContain('invalid bearer token');
    });

    it('is bound to a pod and extended as a kubelet’s', async () => {
      const { api, base } = world();
      await api.post(`${base}/pods`, aPod('holder'));
      const spec = { expirationSeconds: 3607, boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'holder' } };
      const { status } = (await api.post(`${base}/serviceaccounts/default/token`, { spec })).body as Minted;
      const claims = claimsOf(status.token) as { exp: number; iat: number; 'kubernetes.io': { warnafter: number } };
      expect(claims).toMatchObject({ 'kubernetes.io': { pod: { name: 'holder' } } });
      expect(claims.exp - claims.iat).toBe(31_536_000);
      expect(claims['kubernetes.io'].warnafter - claims.iat).toBe(3_607);
      await api.delete(`${base}/pods/holder`);
      const review = (await api.post(REVIEWS, { spec: { token: status.token } })).body as {
        status: { authenticated?: boolean };
      };
      expect(review.status.authenticated).toBeUndefined();
    });

    it.each([
      { what: 'too short a life', account: 'default', spec: { expirationSeconds: 10 }, code: 422 },
      {
        what: 'a pod that is not there',
        account: 'default',
        spec: { boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'zz' } },
        code: 404,
      },
      { what: 'an account that is not there', account: 'nope', spec: {}, code: 404 },
    ])('is refused for $what', async ({ account, spec, code }) => {
      const { api, base } = world();
      expect((await api.post(`${base}/serviceaccounts/${account}/token`, { spec })).body).toMatchObject({ code });
    });

    it('of a ServiceAccount opens nothing by itself', async () => {
      const { api, base } = world();
      const minted = (await api.post(`${base}/serviceaccounts/default/token`, {})).body as Minted;
      const answer = await api.get(`${base}/pods`, { token: minted.status.token });
      expect(answer.body).toMatchObject({
        code: 403,
        reason: 'Forbidden',
        message: expect.stringContaining('cannot list resource "pods" in API group ""'),
      });
    });

    it('that nobody knows is refused', async () => {
      expect((await world().api.get('/api/v1/pods', { token: 'junk' })).body).toMatchObject({
        code: 401,
        message: 'Unauthorized',
        reason: 'Unauthorized',
      });
    });
  });

  describe('access', () => {
    const resourceAttributes = { verb: 'get', resource: 'pods', namespace: 'default' };

    it.each([
      { who: 'somebody', groups: ['system:authenticated'], allowed: false },
      { who: 'an administrator', groups: ['system:masters'], allowed: true },
    ])('is reviewed for $who', async ({ groups, allowed }) => {
      const answer = await world().api.post(ACCESS, { spec: { user: 'bob', groups, resourceAttributes } });
      expect(answer.body).toMatchObject({ kind: 'SubjectAccessReview', status: { allowed } });
    });

    it('is reviewed for oneself', async () => {
      const { api } = world();
      const own = await api.post('/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', {
        spec: { resourceAttributes },
      });
      expect(own.body).toMatchObject({ status: { allowed: true } });
      const who = await api.post('/apis/authentication.k8s.io/v1/selfsubjectreviews', {});
      expect(who.body).toMatchObject({
        status: { userInfo: { username: 'kubernetes-admin', groups: ['system:masters', 'system:authenticated'] } },
      });
    });

    it('needs something to review', async () => {
      expect((await world().api.post(ACCESS, { spec: { user: 'bob' } })).body).toMatchObject({ code: 422 });
    });
  });

  describe('discovery', () => {
    it('names what there is', async () => {
      const { api } = world();
      expect((await api.get('/api')).body).toMatchObject({ kind: 'APIVersions', versions: ['v1'] });
      expect((await api.get('/api/v1')).body).toMatchObject({
        kind: 'APIResourceList',
        groupVersion: 'v1',
        resources: expect.arrayContaining([
          expect.objectContaining({
            name: 'pods',
            singularName: 'pod',
            kind: 'Pod',
            namespaced: true,
            shortNames: ['po'],
          }),
          expect.objectContaining({ name: 'nodes', kind: 'Node', namespaced: false }),
          expect.objectContaining({ name: 'pods/log' }),
          expect.objectContaining({ name: 'serviceaccounts/token', group: 'authentication.k8s.io' }),
        ]),
      });
      expect((await api.get('/apis/coordination.k8s.io/v1')).body).toMatchObject({ resources: [{ name: 'leases' }] });
    });

    it('answers health checks', async () => {
      const { api } = world();
      for (const path of ['/healthz', '/readyz', '/livez'])
        expect((await api.get(path, { token: '' })).text).toBe('ok');
      expect((await api.get('/version', { token: '' })).body).toMatchObject({ major: '1', minor: '36' });
    });

    it('tells kubectl that PATCH validates fields', async () => {
      const { api } = world();
      const index = (await api.get('/openapi/v3')).body as { paths: Record<string, { serverRelativeURL: string }> };
      const document = await api.get(index.paths['api/v1']?.serverRelativeURL ?? '');
      expect(document.body).toMatchObject({
        paths: {
          '/api/v1/namespaces/{namespace}/pods/{name}': {
            patch: {
              'x-kubernetes-group-version-kind': { group: '', version: 'v1', kind: 'Pod' },
              parameters: expect.arrayContaining([expect.objectContaining({ name: 'fieldValidation' })]),
            },
          },
        },
        components: {
          schemas: {
            'io.k8s.api.core.v1.PodSpec': {
              properties: {
                containers: { 'x-kubernetes-patch-merge-key': 'name', 'x-kubernetes-patch-strategy': 'merge' },
              },
            },
          },
        },
      });
    });
  });
};
