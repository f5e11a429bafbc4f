import { describe, expect, it } from 'vitest';
import { ConflictError, InvalidError, NotFoundError } from '../../../src/core/errors.ts';
import type { Lease } from '../../../src/model/kubernetes.ts';
import type { LeaseRenewal } from '../../../src/ports/kubernetes.ts';
import type { KubernetesWorld } from './kubernetes-world.ts';
import { unique } from './unique.ts';

const { signal } = new AbortController();

export const describeLeases = (current: () => KubernetesWorld): void => {
  const leases = (): KubernetesWorld['kubernetes']['leases'] => current().kubernetes.leases;

  const lease = (name: string, renewTime = '2030-01-01T00:00:00.000000Z'): Lease => ({
    metadata: { name, namespace: 'kube-node-lease', annotations: { 'svk.dev/deployment': 'dev' } },
    spec: { holderIdentity: name, leaseDurationSeconds: 40, renewTime },
  });

  const renewal = (name: string, change: Partial<LeaseRenewal> = {}): LeaseRenewal => ({
    renewTime: '2030-01-01T00:00:10.000000Z',
    holder: name,
    owner: { annotation: 'svk.dev/deployment', value: 'dev' },
    annotations: { 'svk.dev/renewed-by': 'beat' },
    ...change,
  });

  describe('leases', () => {
    it('are created once and read', async () => {
      const name = unique('lease');
      await leases().create(lease(name), signal);
      expect((await leases().get(name, signal)).spec).toEqual({
        holderIdentity: name,
        leaseDurationSeconds: 40,
        renewTime: '2030-01-01T00:00:00.000000Z',
      });
      await expect(leases().create(lease(name), signal)).rejects.toThrow(ConflictError);
      await expect(leases().get(unique('none'), signal)).rejects.toThrow(NotFoundError);
    });

    it.each(['2030-01-01T00:00:00Z', '2030-01-01T00:00:00.123Z', '2030-01-01T00:00:00.123456789Z'])(
      'refuse the time %s: six fractional digits it must be',
      async (renewTime) => {
        await expect(leases().create(lease(unique('lease'), renewTime), signal)).rejects.toThrow(InvalidError);
      },
    );

    it('are renewed in one call', async () => {
      const name = unique('lease');
      await leases().create(lease(name), signal);
      const renewed = await leases().renew(name, renewal(name), signal);
      expect(renewed.spec).toEqual({
        holderIdentity: name,
        leaseDurationSeconds: 40,
        renewTime: '2030-01-01T00:00:10.000000Z',
      });
      expect(renewed.metadata?.annotations).toEqual({ 'svk.dev/deployment': 'dev', 'svk.dev/renewed-by': 'beat' });
    });

    it.each([
      ['another deployment', { owner: { annotation: 'svk.dev/deployment', value: 'prod' } }],
      ['another mark', { owner: { annotation: 'svk.dev/none', value: 'dev' } }],
      ['another holder', { holder: 'somebody' }],
    ])('are not renewed for %s', async (_, change) => {
      const name = unique('lease');
      await leases().create(lease(name), signal);
      await expect(leases().renew(name, renewal(name, change), signal)).rejects.toThrow(ConflictError);
      expect((await leases().get(name, signal)).spec?.renewTime).toBe('2030-01-01T00:00:00.000000Z');
    });

    it('cannot be renewed where there is none', async () => {
      const name = unique('none');
      await expect(leases().renew(name, renewal(name), signal)).rejects.toThrow(NotFoundError);
    });

    it('are updated on the version read, not on an older one', async () => {
      const name = unique('lease');
      const created = await leases().create(lease(name), signal);
      const change = { ...created, spec: { ...created.spec, renewTime: '2030-01-01T00:00:20.000000Z' } };
      const updated = await leases().update(change, signal);
      expect(updated.spec?.renewTime).toBe('2030-01-01T00:00:20.000000Z');
      await expect(leases().update(change, signal)).rejects.toThrow(ConflictError);
    });

    it('need a version for an update', async () => {
      const name = unique('lease');
      await leases().create(lease(name), signal);
      await expect(leases().update(lease(name), signal)).rejects.toThrow(InvalidError);
    });

    it('are a conflict where the one read is gone, made anew or not', async () => {
      const name = unique('lease');
      const created = await leases().create(lease(name), signal);
      await current().others.deleteLease(name);
      await expect(leases().update(created, signal)).rejects.toThrow(ConflictError);
      await leases().create(lease(name), signal);
      await expect(leases().update(created, signal)).rejects.toThrow(ConflictError);
    });
  });
};
