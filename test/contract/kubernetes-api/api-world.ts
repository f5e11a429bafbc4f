import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RawApi } from './raw-api.ts';

/** The server under test and a namespace of the test's own. */
export interface ApiWorld {
  readonly api: RawApi;
  readonly namespace: string;
  /** `/api/v1/namespaces/<namespace>` */
  readonly base: string;
}

/** A name nobody else uses. */
export const unique = (prefix: string): string => `${prefix}-${randomBytes(4).toString('hex')}`;

/** Makes a namespace and waits for its ServiceAccount, without which no pod can be made. */
export const newWorld = async (api: RawApi): Promise<ApiWorld> => {
  const namespace = unique('contract');
  await api.post('/api/v1/namespaces', { metadata: { name: namespace } });
  const base = `/api/v1/namespaces/${namespace}`;
  await eventually(async () => (await api.get(`${base}/serviceaccounts/default`)).code === 200);
  return { api, namespace, base };
};

/** Asks again every 50 ms, for ten seconds. @throws where it never becomes true. */
export const eventually = async (isTrue: () => Promise<boolean>): Promise<void> => {
  for (let attempt = 0; attempt < 200; attempt += 1) {
    if (await isTrue()) return;
    await sleep(50);
  }
  throw new Error('it did not happen within ten seconds');
};

/** A pod of one container that nothing schedules, unless `spec` says otherwise. */
export const aPod = (name: string, spec: object = {}, metadata: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, ...metadata },
  spec: { schedulerName: 'nobody', containers: [{ name: 'app', image: 'busybox:1.36' }], ...spec },
});

/** A ConfigMap. */
export const aConfigMap = (name: string, data: object = {}, metadata: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, ...metadata },
  data,
});
