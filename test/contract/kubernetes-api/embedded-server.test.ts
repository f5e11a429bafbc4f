import { once } from 'node:events';
import { readFile, stat } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { FakeClock } from '../../fakes/clock.ts';
import { aConfigMap, aPod, eventually } from './api-world.ts';
import { type Embedded, startEmbedded } from './embedded.ts';
import { aNode } from './fake-kubelet.ts';

const PODS = '/api/v1/namespaces/default/pods';
const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
const LEASES = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases';
const tolerations = [{ operator: 'Exists' }];

let running: Embedded | undefined;
const start = async (...options: Parameters<typeof startEmbedded>): Promise<Embedded> => {
  running = await startEmbedded(...options);
  return running;
};
afterEach(async () => {
  await running?.stop();
  running = undefined;
});

describe('the embedded API', () => {
  it('demands its token, and writes it to a kubeconfig only its owner reads', async () => {
    const { api, kubernetes } = await start();
    expect((await api.get('/api/v1/pods', { token: '' })).body).toMatchObject({ code: 401, reason: 'Unauthorized' });
    expect((await api.get('/api/v1/pods')).code).toBe(200);
    expect(kubernetes.kubeconfigPath).toMatch(/\.kubeconfig$/);
    expect(await readFile(kubernetes.kubeconfigPath, 'utf8')).toContain(kubernetes.token);
    expect((await stat(kubernetes.kubeconfigPath)).mode & 0o077).toBe(0);
  });

  it('begins as every cluster does', async () => {
    const { api, kubernetes } = await start();
    for (const namespace of ['default', 'kube-node-lease', 'kube-public', 'kube-system']) {
      expect((await api.get(`/api/v1/namespaces/${namespace}/serviceaccounts/default`)).code).toBe(200);
    }
    expect((await api.get('/api/v1/namespaces/default/services/kubernetes')).body).toMatchObject({
      spec: { clusterIP: '10.96.0.1', ports: [{ name: 'https', port: 443, protocol: 'TCP' }] },
    });
    expect((await api.get(`${CONFIG_MAPS}/kube-root-ca.crt`)).body).toMatchObject({
      data: { 'ca.crt': kubernetes.certificateAuthority },
    });
  });

  it('says 410 to a watch from before what it remembers', async () => {
    const { api } = await start({ historyLimit: 3 });
    await api.post(CONFIG_MAPS, aConfigMap('busy'));
    for (const a of ['1', '2', '3', '4']) await api.patch(`${CONFIG_MAPS}/busy`, 'merge', { data: { a } });
    const watch = await api.watch(`${CONFIG_MAPS}?watch=1&resourceVersion=1`);
    expect(await watch.next()).toMatchObject({
      type: 'ERROR',
      object: {
        kind: 'Status',
        code: 410,
        reason: 'Expired',
        message: expect.stringMatching(/^too old resource version: 1 \(\d+\)$/),
      },
    });
    expect(await watch.next()).toBeUndefined();
  });

  it('ends its watches when it closes', async () => {
    const { api, kubernetes } = await start();
    const watch = await api.watch(`${CONFIG_MAPS}?watch=1`);
    expect(await watch.next()).toMatchObject({ type: 'ADDED' });
    const ended = watch.next().catch(() => undefined);
    await kubernetes.close();
    expect(await ended).toBeUndefined();
    running = undefined;
  });

  it('has one clear error where the port is taken', async () => {
    const { kubernetes } = await start();
    const port = Number(new URL(kubernetes.url).port);
    await expect(startEmbedded({ port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });
});

describe('the scheduler', () => {
  it('binds pods to a Ready node they tolerate', async () => {
    const { api } = await start();
    const taints = [{ key: 'virtual-kubelet.io/provider', value: 'aws', effect: 'NoSchedule' }];
    await api.post('/api/v1/nodes', aNode('n', 1, { taints }));
    await api.post(PODS, aPod('tolerant', { schedulerName: 'default-scheduler', tolerations }));
    await api.post(PODS, aPod('plain', { schedulerName: 'default-scheduler' }));
    await eventually(async () => (await api.get(`${PODS}/tolerant`)).text.includes('"nodeName":"n"'));
    const events = async (name: string): Promise<unknown> =>
      (await api.get(`/api/v1/namespaces/default/events?fieldSelector=involvedObject.name%3D${name}`)).body;
    await eventually(async () => JSON.stringify(await events('tolerant')).includes('Scheduled'));
    expect(await events('tolerant')).toMatchObject({
      items: [
        {
          type: 'Normal',
          reason: 'Scheduled',
          message: 'Successfully assigned default/tolerant to n',
          reportingComponent: 'default-scheduler',
        },
      ],
    });
    await eventually(async () => JSON.stringify(await events('plain')).includes('untolerated'));
    expect((await api.get(`${PODS}/plain`)).body).toMatchObject({
      status: {
        phase: 'Pending',
        conditions: [
          {
            type: 'PodScheduled',
            status: 'False',
            reason: 'Unschedulable',
            message:
              '0/1 nodes are available: 1 node(s) had untolerated taint(s). no new claims to deallocate, preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.',
          },
        ],
      },
    });
  });

  it('waits for a node that is not Ready', async () => {
    const { api } = await start();
    await api.post('/api/v1/nodes', { metadata: { name: 'n' }, status: { capacity: { cpu: '1', pods: '5' } } });
    await api.post(PODS, aPod('early', { schedulerName: 'default-scheduler' }));
    await eventually(async () => (await api.get(`${PODS}/early`)).text.includes('Unschedulable'));
    await api.patch('/api/v1/nodes/n/status', 'strategic', {
      status: { conditions: [{ type: 'Ready', status: 'True' }] },
    });
    await eventually(async () => (await api.get(`${PODS}/early`)).text.includes('"nodeName":"n"'));
  });
});

describe('the node lifecycle', () => {
  it('makes a node Unknown 40 s after its last sign, and Ready again with the next', async () => {
    const clock = new FakeClock();
    const { api } = await start({ clock });
    await api.post('/api/v1/nodes', aNode('n', 1));
    const spec = { holderIdentity: 'n', leaseDurationSeconds: 40, renewTime: '2030-01-01T00:00:00.000000Z' };
    await api.post(LEASES, { metadata: { name: 'n' }, spec });
    const ready = async (): Promise<unknown> => {
      const { status } = (await api.get('/api/v1/nodes/n')).body as { status: { conditions: { type: string }[] } };
      return status.conditions.find(({ type }) => type === 'Ready');
    };
    await clock.advance(30_000);
    expect(await ready()).toMatchObject({ status: 'True' });
    await api.patch(`${LEASES}/n`, 'merge', { spec: { renewTime: '2030-01-01T00:00:30.000000Z' } });
    await clock.advance(40_000);
    expect(await ready()).toMatchObject({ status: 'True' });
    await clock.advance(5_000);
    expect(await ready()).toMatchObject({
      status: 'Unknown',
      reason: 'NodeStatusUnknown',
      message: 'Kubelet stopped posting node status.',
    });
    await eventually(async () => (await api.get('/api/v1/nodes/n')).text.includes('node.kubernetes.io/unreachable'));
    const conditions = [{ type: 'Ready', status: 'True', lastHeartbeatTime: '2030-01-01T00:01:15Z' }];
    await api.patch('/api/v1/nodes/n/status', 'strategic', { status: { conditions } });
    await eventually(async () => !(await api.get('/api/v1/nodes/n')).text.includes('unreachable'));
  });

  it('forgets events after an hour', async () => {
    const clock = new FakeClock();
    const { api } = await start({ clock });
    await api.post('/api/v1/namespaces/default/events', {
      metadata: { name: 'old' },
      involvedObject: { namespace: 'default' },
      reason: 'R',
    });
    await clock.advance(3_600_000);
    expect((await api.get('/api/v1/namespaces/default/events/old')).code).toBe(200);
    await clock.advance(60_000);
    expect((await api.get('/api/v1/namespaces/default/events/old')).code).toBe(404);
  });
});

describe('the admission webhook', () => {
  interface Hook {
    readonly url: string;
    readonly reviews: readonly { readonly request: Readonly<Record<string, unknown>> }[];
    close(): void;
  }

  const startHook = async (): Promise<Hook> => {
    const reviews: { request: Record<string, unknown> }[] = [];
    const server: Server = createServer((request, response) => {
      let text = '';
      request.on('data', (chunk: Buffer) => (text += chunk.toString()));
      request.on('end', () => {
        reviews.push(JSON.parse(text) as (typeof reviews)[number]);
        response.end('{}');
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    return { url: `http://127.0.0.1:${port}/admit`, reviews, close: () => void server.close() };
  };

  it('hears of bindings, of pods that name their node, and of deletions', async () => {
    const hook = await startHook();
    const { api, kubernetes } = await start({ admissionUrl: () => hook.url });
    const made = (await api.post(PODS, aPod('web'))).body as { metadata: { uid: string } };
    const target = { kind: 'Node', name: 'n' };
    await api.post(`${PODS}/web/binding`, { metadata: { name: 'web', uid: made.metadata.uid }, target });
    expect(hook.reviews.at(-1)).toMatchObject({
      kind: 'AdmissionReview',
      apiVersion: 'admission.k8s.io/v1',
      request: {
        uid: expect.stringMatching(/^[0-9a-f-]{36}$/),
        kind: { group: '', version: 'v1', kind: 'Binding' },
        resource: { group: '', version: 'v1', resource: 'pods' },
        subResource: 'binding',
        requestSubResource: 'binding',
        name: 'web',
        namespace: 'default',
        operation: 'CREATE',
        userInfo: { username: 'kubernetes-admin' },
        object: { kind: 'Binding', metadata: { name: 'web', namespace: 'default', uid: made.metadata.uid }, target },
        oldObject: null,
        dryRun: false,
      },
    });

    await api.delete(`${PODS}/web`, { gracePeriodSeconds: 7, preconditions: { uid: made.metadata.uid } });
    expect(hook.reviews.at(-1)).toMatchObject({
      request: {
        kind: { kind: 'Pod' },
        operation: 'DELETE',
        object: null,
        oldObject: { metadata: { uid: made.metadata.uid }, spec: { nodeName: 'n' } },
        options: { gracePeriodSeconds: 7, preconditions: { uid: made.metadata.uid } },
      },
    });

    await api.post(`${PODS}?dryRun=All`, aPod('placed', { nodeName: 'n' }));
    expect(hook.reviews.at(-1)).toMatchObject({
      request: { operation: 'CREATE', dryRun: true, object: { metadata: { name: 'placed', uid: expect.any(String) } } },
    });

    await api.post(PODS, aPod('free'));
    await api.delete(`${PODS}/free`);
    expect(hook.reviews).toHaveLength(3);
    kubernetes.setAdmissionUrl(undefined);
    await api.delete(`${PODS}/web`, { gracePeriodSeconds: 0 });
    expect(hook.reviews).toHaveLength(3);
    hook.close();
  });

  it('changes nothing where it is down', async () => {
    const { api } = await start({ admissionUrl: () => 'http://127.0.0.1:1/admit' });
    expect((await api.post(PODS, aPod('placed', { nodeName: 'n' }))).code).toBe(201);
    expect((await api.delete(`${PODS}/placed`, { gracePeriodSeconds: 0 })).code).toBe(200);
  });
});
