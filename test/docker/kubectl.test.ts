import { spawn } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasKubectl } from '../support/kubectl.ts';
import { buildBundles, type RunningCloud, startLocalCloud, waitFor } from '../support/local-cloud.ts';
import { hasEngine } from './support/engine.ts';
import { makeImages } from './support/images.ts';
import { leftovers } from './support/leftovers.ts';

describe.skipIf(!hasEngine || !hasKubectl())('a person with kubectl and a container engine', () => {
  let cloud: RunningCloud;
  let stopped = false;

  beforeAll(async () => {
    await makeImages();
    await buildBundles();
    cloud = await startLocalCloud(['--runtime', 'docker']);
  });

  afterAll(async () => {
    if (!stopped) await cloud.stop();
  });

  const containers = async (): Promise<readonly string[]> =>
    (await leftovers()).filter((name) => name.startsWith('container'));

  it('is told that real containers run', () => {
    expect(cloud.output()).toMatch(/^runtime {5}docker: real containers by the engine \S+ at \S+$/m);
  });

  it('applies hello.yaml, reaches it at its address, reads its log as it comes, and deletes it with its containers', async () => {
    await cloud.kubectl('apply', '-f', 'examples/hello.yaml');
    await cloud.kubectl('wait', '--for=condition=Ready', 'pod/hello', '--timeout=60s');
    const wide = await cloud.kubectl('get', 'pods', '-o', 'wide', '--no-headers');
    expect(wide).toMatch(/^hello\s+1\/1\s+Running\s+0\s+\S+\s+1[079]\d*(\.\d+){3}\s+fargate/);
    expect(await containers()).toHaveLength(2);

    const follow = spawn('kubectl', ['--kubeconfig', cloud.kubeconfig, 'logs', '-f', 'hello']);
    let text = '';
    follow.stdout.on('data', (chunk: Buffer) => {
      text += chunk.toString();
    });
    await waitFor(() => (text.match(/^tick/gm)?.length ?? 0) >= 4, { what: 'the fourth tick' });
    follow.kill();
    expect(text).toMatch(/^hello from hello on fargate\ntick 1\ntick 2\n/);

    await cloud.kubectl('delete', 'pod', 'hello', '--timeout=60s');
    await waitFor(async () => (await containers()).length === 0, { what: 'the end of the containers' });
  });

  it('sees an image that cannot be pulled as Kubernetes says it', async () => {
    await cloud.kubectl('run', 'none', '--image=127.0.0.1:1/none:1', '--restart=Never', '--overrides', TOLERATES);
    const waiting = '{.status.containerStatuses[0].state.waiting.reason}';
    await waitFor(
      async () =>
        /PullBackOff|ErrImagePull/.test(await cloud.kubectl('get', 'pod', 'none', '-o', `jsonpath=${waiting}`)),
      { what: 'the failed pull' },
    );
    await cloud.kubectl('delete', 'pod', 'none', '--timeout=60s');
  });

  it('sees a pod that was killed for its memory', async () => {
    await cloud.kubectl('apply', '-f', 'test/docker/manifests/out-of-memory.yaml');
    const terminated = '{.status.containerStatuses[0].state.terminated.reason} {.status.phase}';
    await waitFor(
      async () => (await cloud.kubectl('get', 'pod', 'hungry', '-o', `jsonpath=${terminated}`)) === 'OOMKilled Failed',
      { what: 'OOMKilled' },
    );
    await cloud.kubectl('delete', 'pod', 'hungry', '--timeout=60s');
  });

  it('leaves nothing in the engine with Ctrl-C, whatever runs', async () => {
    await cloud.kubectl('apply', '-f', 'examples/hello.yaml');
    await cloud.kubectl('wait', '--for=condition=Ready', 'pod/hello', '--timeout=60s');
    stopped = true;
    expect(await cloud.stop()).toBe(0);
    expect(await leftovers()).toEqual([]);
  });
});

const TOLERATES = JSON.stringify({
  spec: { tolerations: [{ key: 'virtual-kubelet.io/provider', operator: 'Exists' }] },
});
