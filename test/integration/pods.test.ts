import { spawn } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasKubectl } from '../support/kubectl.ts';
import { buildBundles, type RunningCloud, startLocalCloud, waitFor } from '../support/local-cloud.ts';
import { deleteAll, isGone, messagesOf, phaseOf, podOf, renderPods, statusOf } from './pods-of-cloud.ts';

describe.skipIf(!hasKubectl())('a person with kubectl', () => {
  let cloud: RunningCloud;

  beforeAll(async () => {
    await buildBundles();
    cloud = await startLocalCloud();
  });

  afterAll(async () => {
    expect(await cloud.stop()).toBe(0);
  });

  it('finds the node Ready', async () => {
    expect(await cloud.kubectl('wait', '--for=condition=Ready', 'node/fargate', '--timeout=5s')).toContain(
      'condition met',
    );
  });

  it('applies examples/hello.yaml, sees it run, reads its log as it comes, and deletes it with its process', async () => {
    await cloud.kubectl('apply', '-f', 'examples/hello.yaml');
    await cloud.kubectl('wait', '--for=condition=Ready', 'pod/hello', '--timeout=60s');
    const wide = await cloud.kubectl('get', 'pods', '-o', 'wide', '--no-headers');
    expect(wide).toMatch(/^hello\s+1\/1\s+Running\s+0\s+\S+\s+127\.8\.\d+\.\d+\s+fargate/);

    const times: number[] = [];
    const follow = spawn('kubectl', ['--kubeconfig', cloud.kubeconfig, 'logs', '-f', 'hello']);
    let text = '';
    follow.stdout.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      times.push(Date.now());
    });
    const ticks = (): number => text.match(/^tick/gm)?.length ?? 0;
    await waitFor(() => ticks() >= 3, { what: 'the third tick' });
    // What was there before the first look comes in one piece.
    const before = ticks();
    await waitFor(() => ticks() >= before + 3, { what: 'three more ticks' });
    follow.kill();
    expect(text).toMatch(/^hello from hello on fargate\ntick 1\ntick 2\ntick 3\n/);
    expect((times.at(-1) ?? 0) - (times[0] ?? 0)).toBeGreaterThan(1_000);

    const processes = await processesNamed('hello from');
    expect(processes).toBeGreaterThan(0);
    await cloud.kubectl('delete', 'pod', 'hello', '--timeout=60s');
    await waitFor(async () => (await processesNamed('hello from')) === 0, { what: 'the end of the process' });
  });

  it('tells the life of a pod in kubelet’s events', async () => {
    await cloud.kubectl('apply', '-f', 'test/integration/manifests/one-shot.yaml');
    await waitFor(async () => (await phaseOf(cloud, 'one-shot')) === 'Succeeded', { what: 'Succeeded' });
    for (const reason of ['Scheduled', 'Pulling', 'Pulled', 'Created', 'Started'])
      await messagesOf(cloud, 'one-shot', reason);
    const status = await statusOf(cloud, 'one-shot');
    expect(status.containerStatuses?.[0]?.state?.terminated).toMatchObject({ exitCode: 0, reason: 'Completed' });
    expect(status.conditions?.find(({ type }) => type === 'Ready')).toMatchObject({
      status: 'False',
      reason: 'PodCompleted',
    });
    await deleteAll(cloud);
  });

  it('gets a failing exit code, and its log after the end', async () => {
    await cloud.kubectl('apply', '-f', 'test/integration/manifests/failing.yaml');
    await waitFor(async () => (await phaseOf(cloud, 'failing')) === 'Failed', { what: 'Failed' });
    const status = await statusOf(cloud, 'failing');
    expect(status.containerStatuses?.[0]?.state?.terminated).toMatchObject({ exitCode: 7, reason: 'Error' });
    expect(await cloud.kubectl('logs', 'failing')).toBe('about to fail\n');
    expect(await cloud.kubectl('logs', 'failing', '--tail=0')).toBe('');
    await deleteAll(cloud);
  });

  it('sees restarts with back-off, the count, and the log of the attempt before', async () => {
    await cloud.kubectl('apply', '-f', 'test/integration/manifests/crash-loop.yaml');
    await waitFor(async () => ((await statusOf(cloud, 'crash-loop')).containerStatuses?.[0]?.restartCount ?? 0) >= 1, {
      what: 'the first restart',
    });
    const [container] = (await statusOf(cloud, 'crash-loop')).containerStatuses ?? [];
    expect(container?.lastState?.terminated).toMatchObject({ exitCode: 3, reason: 'Error' });
    expect(await cloud.kubectl('logs', 'crash-loop', '--previous')).toBe('attempt\n');
    await deleteAll(cloud);
  });

  it('is refused by name what is not built, in one event', async () => {
    await cloud.kubectl('apply', '-f', 'test/integration/manifests/unsupported.yaml');
    await waitFor(async () => (await phaseOf(cloud, 'unsupported')) === 'Failed', { what: 'the refusal' });
    const messages = await messagesOf(cloud, 'unsupported', 'UnsupportedOnFargate');
    expect(messages).toHaveLength(1);
    expect(messages[0]).toContain('spec.initContainers');
    expect(messages[0]).toContain('spec.containers[0].livenessProbe');
    expect(messages[0]).toContain('spec.volumes');
    await deleteAll(cloud);
  });

  it('hands a Secret to the container, and shows it in no definition, event or log', async () => {
    await cloud.kubectl('apply', '-f', 'test/integration/manifests/secret-env.yaml');
    await waitFor(async () => (await phaseOf(cloud, 'secret-env')) === 'Succeeded', { what: 'Succeeded' });
    expect(await cloud.kubectl('logs', 'secret-env')).toBe('length 23, url postgres://u:…@db\n');
    const definitions = await definitionsOf(cloud);
    expect(definitions).toContain('/svk/dev/default/db/');
    for (const text of [definitions, await cloud.log(), await cloud.kubectl('get', 'events', '-o', 'json')]) {
      expect(text).not.toContain('correct-horse-battery-s');
    }
    await deleteAll(cloud);
  });

  it.each(['01', '03', '05', '20', '60', '84'])('runs the pods of corpus manifest %s', async (number) => {
    const { fixtures, pods } = await renderPods(number);
    for (const object of [...fixtures, ...pods]) await cloud.kubectl('apply', '-f', object.path);
    await Promise.all(
      pods.map(({ name, namespace }) =>
        waitFor(
          async () => ['Running', 'Succeeded', 'Failed'].includes((await phaseOf(cloud, name, namespace)) ?? ''),
          {
            what: `pod ${name} of manifest ${number}`,
          },
        ),
      ),
    );
    for (const { name, namespace } of pods) {
      const pod = await podOf(cloud, name, namespace);
      expect(pod.status?.podIP, name).toMatch(/^127\./);
      expect(pod.status?.conditions?.map(({ type }) => type)).toEqual(
        expect.arrayContaining(['PodScheduled', 'Initialized', 'ContainersReady', 'Ready']),
      );
    }
    for (const { path } of pods) await cloud.kubectl('delete', '-f', path, '--grace-period=1', '--timeout=60s');
    for (const { name, namespace } of pods) expect(await isGone(cloud, name, namespace)).toBe(true);
  });
});

const processesNamed = async (words: string): Promise<number> => {
  const { readdir, readFile } = await import('node:fs/promises');
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name) && name !== String(process.pid));
  const lines = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')));
  return lines.filter((line) => line.startsWith('sh\0') && line.includes(words)).length;
};

const definitionsOf = async (cloud: RunningCloud): Promise<string> => {
  const { ECSClient, ListTaskDefinitionsCommand, DescribeTaskDefinitionCommand } = await import('@aws-sdk/client-ecs');
  const ecs = new ECSClient({
    endpoint: `http://127.0.0.1:${cloud.ports.aws}`,
    region: 'eu-west-1',
    credentials: cloud.credentials,
  });
  const { taskDefinitionArns = [] } = await ecs.send(new ListTaskDefinitionsCommand({}));
  const answers = await Promise.all(
    taskDefinitionArns.map((taskDefinition) => ecs.send(new DescribeTaskDefinitionCommand({ taskDefinition }))),
  );
  ecs.destroy();
  return JSON.stringify(answers.map(({ taskDefinition }) => taskDefinition));
};
