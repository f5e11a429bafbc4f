import { describe, expect, it } from 'vitest';
import { KubernetesClient } from '../../../src/adapters/kubernetes/kubernetes-client.ts';
import { createPodsApi } from '../../../src/adapters/kubernetes/pods-api.ts';
import { PodController } from '../../../src/controllers/pod/pod-controller.ts';
import type { StatusPatch } from '../../../src/ports/kubernetes.ts';
import { workloadOfEvent } from '../../../src/providers/fargate/tasks/task-event.ts';
import { PodWorld } from '../../support/pod-world.ts';
import { ApiServer, json, status } from '../../unit/adapters/kubernetes/api-server.ts';

const { signal } = new AbortController();
const CLUSTER = 'arn:aws:ecs:eu-west-1:123456789012:cluster/svk-dev';

describe('what goes over the wire', () => {
  it('S-23 is taken by a server that refuses patches of any other type', async () => {
    const world = await PodWorld.create();
    const server = await ApiServer.plain();
    const client = new KubernetesClient(server.credentials, { clock: world.clock });
    server.answer = ({ method, headers, body }, response) => {
      if (method === 'GET') return json(response, 200, world.pod());
      if (headers['content-type'] !== 'application/strategic-merge-patch+json')
        return json(
          response,
          415,
          status(415, 'UnsupportedMediaType', 'the body of the request was in an unknown format'),
        );
      const { metadata, status: patch } = JSON.parse(body) as {
        readonly metadata: { readonly uid: string; readonly resourceVersion: string };
        readonly status: StatusPatch;
      };
      const pod = { namespace: 'default', name: 'web', uid: metadata.uid };
      void world.kubernetes.pods
        .patchStatus(pod, metadata.resourceVersion, patch, signal)
        .then((patched) => json(response, 200, patched));
    };
    const controller = new PodController({
      ...world.dependencies,
      kubernetes: { ...world.dependencies.kubernetes, pods: createPodsApi(client) },
    });
    const { metadata } = world.kubernetes.addPod(world.aPod());
    const { uid = '' } = metadata ?? {};
    await world.podStore.wake({
      v: 1,
      kind: 'wake',
      reason: 'bind',
      uid,
      name: 'web',
      namespace: 'default',
      node: 'fargate',
    });

    await controller.reconcile(uid, signal);

    expect(server.received.map(({ method }) => method)).toContain('PATCH');
    expect(world.status().containerStatuses?.[0]?.state).toEqual({ waiting: { reason: 'ContainerCreating' } });
    client.close();
    await server.close();
  });

  it('S-24 an event without tags still ends the pod whose task was told to stop', async () => {
    const world = await PodWorld.create();
    world.provider.stopsAtOnce = false;
    const { metadata } = await world.addPod();
    const { id } = world.workload;
    await world.happens(() => world.provider.run(id));
    world.provider.observationOf = (notification) => workloadOfEvent(notification, CLUSTER);
    world.kubernetes.deletePod('default', 'web');
    await world.settle();
    expect(world.workload.stopping).toBe(true);

    const event = {
      source: 'aws.ecs',
      'detail-type': 'ECS Task State Change',
      detail: {
        taskArn: id,
        clusterArn: CLUSTER,
        startedBy: `svk/0123456789ab/${metadata?.uid}`,
        group: 'svk:1.1',
        lastStatus: 'STOPPED',
        desiredStatus: 'STOPPED',
        version: 9,
        stopCode: 'UserInitiated',
        stoppedReason: 'the pod was deleted',
        startedAt: '2030-01-01T00:00:00Z',
        stoppedAt: '2030-01-01T00:00:09Z',
        containers: [{ name: 'main', lastStatus: 'STOPPED', exitCode: 143 }],
      },
    };
    await world.deliver([{ kind: 'notification', notification: event }]);

    expect(world.kubernetes.findPod('default', 'web')).toBeUndefined();
  });

  it('C-12 is never changed after it was sent, nor what was answered', async () => {
    const world = await PodWorld.create();
    const sent: { readonly patch: unknown; readonly text: string }[] = [];
    world.kubernetes.beforeEach(({ method, args }) => {
      if (method !== 'pods.patchStatus') return;
      sent.push({ patch: args[2], text: JSON.stringify(args[2]) });
      // Somebody else writes the pod at that very moment.
      if (sent.length === 1)
        world.kubernetes.updatePod('default', 'web', (pod) => ({
          ...pod,
          metadata: { ...pod.metadata, labels: { tier: 'x' } },
        }));
    });
    await world.addPod({ restartPolicy: 'OnFailure' });
    await world.happens(() => world.provider.run(world.workload.id));
    await world.happens(() => world.provider.exit(world.workload.id, 1));
    await world.pass(20_000);
    await world.happens(() => world.provider.run(world.workload.id));
    await world.happens(() => world.provider.exit(world.workload.id, 0));

    expect(world.status().phase).toBe('Succeeded');
    expect(sent.length).toBeGreaterThan(5);
    for (const { patch, text } of sent) expect(JSON.stringify(patch)).toBe(text);
    // The fakes answer frozen objects: whoever changes one throws.
    expect(Object.isFrozen(world.status().containerStatuses?.[0])).toBe(true);
    expect(Object.isFrozen(world.podStore.rows()[0]?.state.attempts[0])).toBe(true);
  });
});
