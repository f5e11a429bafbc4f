import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DescribeTasksCommand, ECSClient, ListTasksCommand } from '@aws-sdk/client-ecs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseAllDocuments, stringify } from 'yaml';
import { FaultsClient } from '../../infra/local/control/faults-client.ts';
import type { Pod } from '../../src/model/kubernetes.ts';
import { buildBundles, type RunningCloud, startLocalCloud, waitFor } from './local-cloud.ts';

/** Which of the examples a runtime can show. */
export interface Fit {
  readonly runtime: 'docker' | 'process' | 'simulated';
  /** It has the programs of an image, and a network for each task. */
  readonly images: boolean;
  /** Commands run. */
  readonly commands: boolean;
}

/** Applies each of `examples/` to the local cloud on that runtime and looks for what the example says. */
export const describeExamples = ({ runtime, images, commands }: Fit): void => {
  describe(`examples on ${runtime}`, () => {
    let cloud: RunningCloud;

    beforeAll(async () => {
      await buildBundles();
      cloud = await startLocalCloud(['--runtime', runtime, '--settings', 'examples/spot-batch/settings.yml']);
    });

    afterAll(async () => {
      expect(await cloud.stop()).toBe(0);
    });

    const examples: { readonly title: string; readonly act: () => Promise<void> }[] = [];
    const example = (fits: boolean, title: string, act: () => Promise<void>): void => {
      if (fits) examples.push({ title, act });
    };
    const pod = async (name: string): Promise<Pod> =>
      JSON.parse(await cloud.kubectl('get', 'pod', name, '-o', 'json')) as Pod;
    const reaches = (name: string, phase: string): Promise<void> =>
      waitFor(async () => (await pod(name)).status?.phase === phase, { what: `${phase} of ${name}`, withinMs: 90_000 });

    // A process would need the image's httpd.
    example(images || !commands, 'web-server.yaml stays and serves', async () => {
      await cloud.kubectl('apply', '-f', 'examples/web-server.yaml');
      await cloud.kubectl('wait', '--for=condition=Ready', 'pod/web-server', '--timeout=90s');
      if (images) {
        const { status } = await pod('web-server');
        const response = await fetch(`http://${status?.podIP}:8080/`, { headers: { connection: 'close' } });
        expect(await response.text()).toBe('hello from a pod without a machine\n');
        await waitFor(async () => (await cloud.kubectl('logs', 'web-server')).includes('url:/'), { what: 'its log' });
      }
      const began = Date.now();
      await cloud.kubectl('delete', '-f', 'examples/web-server.yaml', '--timeout=60s');
      // It heeds SIGTERM: its grace of ten seconds is not needed.
      expect(Date.now() - began).toBeLessThan(10_000);
    });

    example(commands, 'job.yaml computes in each of its pods', async () => {
      const [name, path] = await podOfJob('examples/job.yaml');
      await cloud.kubectl('apply', '-f', path);
      await reaches(name, 'Succeeded');
      expect(await cloud.kubectl('logs', name)).toBe('sum 500500\n');
      expect((await pod(name)).status?.containerStatuses?.[0]?.state?.terminated).toMatchObject({
        exitCode: 0,
        reason: 'Completed',
      });
      await cloud.kubectl('delete', 'pod', name, '--timeout=60s');
    });

    example(commands, 'crash-loop.yaml is started again, later each time', async () => {
      await cloud.kubectl('apply', '-f', 'examples/crash-loop.yaml');
      const stateOf = async () => (await pod('crash-loop')).status?.containerStatuses?.[0];
      await waitFor(async () => (await stateOf())?.state?.waiting?.reason === 'CrashLoopBackOff', { what: 'back-off' });
      await waitFor(async () => ((await stateOf())?.restartCount ?? 0) >= 1, { what: 'the first restart' });
      expect((await stateOf())?.lastState?.terminated).toMatchObject({ exitCode: 3, reason: 'Error' });
      expect(await cloud.kubectl('logs', 'crash-loop', '--previous')).toMatch(/^attempt at \d\d:\d\d:\d\d\n$/);
      await cloud.kubectl('delete', '-f', 'examples/crash-loop.yaml', '--timeout=60s');
    });

    example(true, 'spot-batch/batch.yaml runs on Spot and tells where it was interrupted', async () => {
      await cloud.kubectl('apply', '-f', 'examples/spot-batch/batch.yaml');
      await reaches('spot-batch', 'Running');
      const { metadata, spec } = await pod('spot-batch');
      expect(spec?.nodeName).toBe('fargate-spot');
      if (commands) {
        await waitFor(async () => (await cloud.kubectl('logs', 'spot-batch')).includes('step 2'), { what: 'step 2' });
      }
      await FaultsClient.of(cloud.directory).add({
        kind: 'spot-interruption',
        taskArn: await taskOf(cloud, metadata?.uid ?? ''),
      });
      await reaches('spot-batch', 'Failed');
      expect((await pod('spot-batch')).status?.conditions).toContainEqual(
        expect.objectContaining({ type: 'DisruptionTarget', status: 'True' }),
      );
      if (commands) expect(await cloud.kubectl('logs', 'spot-batch')).toMatch(/interrupted after step \d+\n$/);
      await cloud.kubectl('delete', 'pod', 'spot-batch', '--timeout=60s');
    });

    it.each(examples)('$title', ({ act }) => act());
  });
};

/** The embedded API has no job controller: one pod of the job's template, as the controller would make it. */
const podOfJob = async (path: string): Promise<readonly [string, string]> => {
  const [job] = parseAllDocuments(await readFile(path, 'utf8')).map((document) => document.toJS() as JobLike);
  if (!job) throw new Error(`${path} holds no job`);
  const name = `${job.metadata.name}-0`;
  const { metadata, spec } = job.spec.template;
  const file = join(await mkdtemp(join(tmpdir(), 'svk-example-')), 'pod.yaml');
  await writeFile(file, stringify({ apiVersion: 'v1', kind: 'Pod', metadata: { ...metadata, name }, spec }));
  return [name, file];
};

interface JobLike {
  readonly metadata: { readonly name: string };
  readonly spec: { readonly template: Pod };
}

const taskOf = async (cloud: RunningCloud, uid: string): Promise<string> => {
  const ecs = new ECSClient({
    endpoint: `http://127.0.0.1:${cloud.ports.aws}`,
    region: 'eu-west-1',
    credentials: cloud.credentials,
  });
  try {
    const { taskArns = [] } = await ecs.send(new ListTasksCommand({ cluster: 'svk-dev' }));
    const { tasks = [] } = await ecs.send(new DescribeTasksCommand({ cluster: 'svk-dev', tasks: taskArns }));
    const arn = tasks.find(({ startedBy }) => startedBy?.endsWith(uid))?.taskArn;
    if (arn === undefined) throw new Error(`no task of pod ${uid} runs`);
    return arn;
  } finally {
    ecs.destroy();
  }
};
