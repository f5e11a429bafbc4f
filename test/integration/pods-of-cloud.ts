import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Pod, PodStatus } from '../../src/model/kubernetes.ts';
import { corpusObjects } from '../golden/corpus.ts';
import { type RunningCloud, waitFor } from '../support/local-cloud.ts';

export const podOf = async (cloud: RunningCloud, name: string, namespace = 'default'): Promise<Pod> =>
  JSON.parse(await cloud.kubectl('get', 'pod', name, '-n', namespace, '-o', 'json')) as Pod;

export const statusOf = async (cloud: RunningCloud, name: string, namespace?: string): Promise<PodStatus> =>
  (await podOf(cloud, name, namespace)).status ?? {};

export const phaseOf = async (cloud: RunningCloud, name: string, namespace?: string): Promise<string | undefined> =>
  (await statusOf(cloud, name, namespace)).phase;

export const isGone = async (cloud: RunningCloud, name: string, namespace = 'default'): Promise<boolean> =>
  (await cloud.kubectl('get', 'pod', name, '-n', namespace, '--ignore-not-found', '-o', 'name')) === '';

/** Messages of the pod's events with this reason, once there is one. */
export const messagesOf = async (cloud: RunningCloud, pod: string, reason: string): Promise<readonly string[]> => {
  const selector = `involvedObject.name=${pod},reason=${reason}`;
  let messages: readonly string[] = [];
  await waitFor(
    async () => {
      const list = await cloud.kubectl('get', 'events', `--field-selector=${selector}`, '-o', 'json');
      messages = (JSON.parse(list) as { items: { message: string }[] }).items.map(({ message }) => message);
      return messages.length > 0;
    },
    { withinMs: 20_000, what: `event ${reason} of pod ${pod}` },
  );
  return messages;
};

export const deleteAll = async (cloud: RunningCloud): Promise<void> => {
  await cloud.kubectl('delete', 'pods', '--all', '--grace-period=1', '--timeout=60s');
};

/** An object of a manifest as a file that kubectl can apply. */
export interface AppliedObject {
  readonly name: string;
  readonly namespace: string;
  readonly path: string;
}

/**
 * The objects of a corpus manifest that the local cloud knows: fixtures as they are, and of a controller's template as many
 * pods as it would make (the embedded API has no controllers). People's manifests tolerate no taint of ours, so that
 * the pods name the node themselves.
 */
export const renderPods = async (
  number: string,
): Promise<{ readonly fixtures: readonly AppliedObject[]; readonly pods: readonly AppliedObject[] }> => {
  const folder = await mkdtemp(join(tmpdir(), 'svk-manifest-'));
  const write = async (object: Pod, name: string): Promise<AppliedObject> => {
    const path = join(folder, `${name}.json`);
    await writeFile(path, JSON.stringify(object));
    return { name, namespace: object.metadata?.namespace ?? 'default', path };
  };
  const fixtures: AppliedObject[] = [];
  const pods: AppliedObject[] = [];
  for (const object of corpusObjects(number)) {
    const { name } = object.metadata;
    const spec = object['spec'] as { readonly template?: Pod; readonly replicas?: number } | undefined;
    if (object.kind !== 'Pod' && !spec?.template) fixtures.push(await write(object as Pod, name));
    else if (!spec?.template) pods.push(await write(bound(object as Pod), name));
    else {
      const { metadata, ...template } = spec.template;
      for (let index = 0; index < (spec.replicas ?? 1); index += 1) {
        const own = `${name}-${index}`;
        const pod = { apiVersion: 'v1', kind: 'Pod', ...template, metadata: { ...metadata, name: own } };
        pods.push(await write(bound(pod), own));
      }
    }
  }
  return { fixtures, pods };
};

const bound = (pod: Pod): Pod => ({ ...pod, spec: { containers: [], ...pod.spec, nodeName: 'fargate' } });
