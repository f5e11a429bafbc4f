import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasKubectl } from '../../support/kubectl.ts';
import { eventually } from './api-world.ts';
import { type Embedded, startEmbedded } from './embedded.ts';
import { aNode, type FakeKubelet, startKubelet } from './fake-kubelet.ts';

interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

const HELLO = `
apiVersion: v1
kind: Pod
metadata: { name: hello, labels: { app: hello } }
spec:
  terminationGracePeriodSeconds: 1
  containers:
    - name: app
      image: busybox:1.36
      command: [sh, -c, echo hello]
---
apiVersion: v1
kind: ConfigMap
metadata: { name: settings }
data: { a: "1", b: "2" }
`;

describe.skipIf(!hasKubectl())('kubectl', { timeout: 60_000 }, () => {
  let embedded: Embedded;
  let kubelet: FakeKubelet;
  let home: string;

  const environment = (): NodeJS.ProcessEnv => ({
    ...process.env,
    KUBECONFIG: embedded.kubernetes.kubeconfigPath,
    HOME: home,
  });
  const kubectl = (args: readonly string[], input = ''): Promise<Ran> =>
    new Promise((resolve) => {
      const child = execFile('kubectl', args, { env: environment() }, (error, stdout, stderr) =>
        resolve({ code: error === null ? 0 : Number(error.code ?? 1), stdout, stderr }),
      );
      child.stdin?.end(input);
    });
  const ok = async (command: string, input = ''): Promise<string> => {
    const { code, stdout, stderr } = await kubectl(command.split(' '), input);
    expect({ command, code, stderr }).toEqual({ command, code: 0, stderr: '' });
    return stdout;
  };

  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'svk-kubectl-'));
    embedded = await startEmbedded();
    kubelet = await startKubelet(embedded.kubernetes.kubeletClient.ca, (request, response) => {
      response.write('one\n');
      if (!request.url?.includes('follow')) response.end();
      else setTimeout(() => response.end('two\n'), 50);
    });
    await embedded.api.post('/api/v1/nodes', aNode('local', kubelet.port));
  });
  afterAll(async () => {
    await embedded.stop();
    await kubelet.close();
    await rm(home, { recursive: true, force: true });
  });

  it('applies silently, again and anew', async () => {
    expect(await ok('apply -f -', HELLO)).toBe('pod/hello created\nconfigmap/settings created\n');
    expect(await ok('apply -f -', HELLO)).toBe('pod/hello unchanged\nconfigmap/settings unchanged\n');
    const changed = HELLO.replace('b: "2"', 'c: "3"').replace('1.36', '1.37');
    expect(await ok('apply -f -', changed)).toBe('pod/hello configured\nconfigmap/settings configured\n');
    expect(await ok('get configmap settings -o jsonpath={.data}')).toBe('{"a":"1","c":"3"}');
    expect(await ok('apply --server-side --force-conflicts -f -', HELLO)).toBe(
      'pod/hello serverside-applied\nconfigmap/settings serverside-applied\n',
    );
  });

  it('is told of fields that are none', async () => {
    const { code, stderr } = await kubectl(
      ['apply', '-f', '-'],
      HELLO.replace('containers:', 'kontainers: []\n  containers:'),
    );
    expect(code).toBe(1);
    expect(stderr).toContain('strict decoding error: unknown field "spec.kontainers"');
  });

  it('shows nodes, pods and events', async () => {
    await ok('wait --for=condition=PodScheduled pod/hello --timeout=10s');
    expect(await ok('get nodes')).toMatch(/^NAME +STATUS +ROLES +AGE +VERSION *\nlocal +Ready +<none> +\d+s/);
    expect(await ok('get pods -o wide')).toMatch(
      /^NAME +READY +STATUS +RESTARTS +AGE +IP +NODE +NOMINATED NODE +READINESS GATES *\nhello +0\/1 +Pending +0 +\d+s +<none> +local +<none> +<none>/,
    );
    expect(await ok('get events')).toMatch(
      /Normal +Scheduled +pod\/hello +Successfully assigned default\/hello to local/,
    );
    expect(await ok('describe pod hello')).toMatch(
      /Events:[\s\S]*Normal +Scheduled .*Successfully assigned default\/hello to local/,
    );
    expect(await ok('describe node local')).toMatch(/Non-terminated Pods: +\(1 in total\)/);
    expect(await ok('get pod hello -o yaml')).toContain('phase: Pending');
    expect(await ok('get all')).toContain('service/kubernetes');
    expect(await ok('explain pod.spec.containers.image')).toContain('FIELD: image <string>');
  });

  it('changes objects in every way', async () => {
    expect(await ok('label pod hello tier=web')).toBe('pod/hello labeled\n');
    expect(await ok('annotate pod hello note=x')).toBe('pod/hello annotated\n');
    expect(await ok('patch pod hello -p {"metadata":{"labels":{"patched":"yes"}}}')).toBe('pod/hello patched\n');
    expect(await ok('get pods -l tier=web,patched -o name')).toBe('pod/hello\n');
    expect(await ok('create configmap made --from-literal=a=b')).toBe('configmap/made created\n');
    expect(await ok('create secret generic key --from-literal=a=b')).toBe('secret/key created\n');
    expect(await ok('create namespace team')).toBe('namespace/team created\n');
    expect(await ok('create serviceaccount bot -n team')).toBe('serviceaccount/bot created\n');
    expect((await ok('create token bot -n team')).split('.')).toHaveLength(3);
    expect(await ok('delete namespace team')).toBe('namespace "team" deleted\n');
    expect(await ok('auth can-i create pods')).toBe('yes\n');
  });

  it('reads and follows logs', async () => {
    expect(await ok('logs hello')).toBe('one\n');
    expect(await ok('logs -f hello')).toBe('one\ntwo\n');
  });

  it('watches', async () => {
    const child = spawn('kubectl', ['get', 'pods', '-w', '-o', 'wide'], { env: environment() });
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    expect((await lines.next()).value).toMatch(/^NAME +READY/);
    expect((await lines.next()).value).toMatch(/^hello .*Pending/);
    await embedded.api.patch('/api/v1/namespaces/default/pods/hello/status', 'merge', { status: { phase: 'Running' } });
    expect((await lines.next()).value).toMatch(/^hello .*Running/);
    const ended = once(child, 'exit');
    child.kill();
    await ended;
  });

  it('deletes, and waits for the end', async () => {
    const deleting = ok('delete pod hello');
    const path = '/api/v1/namespaces/default/pods/hello';
    await eventually(async () => (await embedded.api.get(path)).text.includes('deletionTimestamp'));
    await embedded.api.delete(path, { gracePeriodSeconds: 0 });
    expect(await deleting).toBe('pod "hello" deleted\n');
  });

  it('is told plainly what is not here', async () => {
    expect((await kubectl(['get', 'deployments'])).stderr).toBe(
      'error: the server doesn\'t have a resource type "deployments"\n',
    );
    expect((await kubectl(['get', 'pod', 'nobody'])).stderr).toBe(
      'Error from server (NotFound): pods "nobody" not found\n',
    );
  });
});
