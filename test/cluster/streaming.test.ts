import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { connect, createServer as createTcpServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { spawn as spawnInTerminal } from '@lydell/node-pty';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { credentialsFromKubeconfig } from '../../src/adapters/kubernetes/credentials-from-kubeconfig.ts';
import { forwardedPorts } from '../support/forwarded-ports.ts';
import { isAlive } from '../support/is-alive.ts';
import { kubectlInTmux } from '../support/kubectl-in-tmux.ts';
import { type ClientTransport, kubectlEnvironment, startKubectl } from '../support/kubectl-process.ts';
import { SHELL_IN_TMUX, useShellInTmux } from '../support/shell-in-tmux.ts';
import { type StreamingNode, StreamingWorld } from '../support/streaming/streaming-world.ts';

let world: StreamingWorld;
let declaring: StreamingNode;
let silent: StreamingNode;
let folder = '';

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'svk-streaming-'));
  world = await StreamingWorld.start();
  [declaring, silent] = await Promise.all([
    world.addNode('declaring'),
    world.addNode('silent', { 'extend-websockets': 'false' }),
  ]);
  for (const node of [declaring, silent]) await world.addPod(node, `box-${node.name}`);
});
afterAll(async () => {
  await world?.stop();
  await rm(folder, { recursive: true, force: true });
});

it('X-01 declares to an API server since 1.36 that it takes WebSockets, unless told not to', async () => {
  expect((await world.node('declaring')).status?.declaredFeatures).toEqual(['ExtendWebSocketsToKubelet']);
  expect((await world.node('silent')).status?.declaredFeatures).toBeUndefined();
});

interface Way {
  readonly client: ClientTransport;
  readonly node: () => StreamingNode;
  readonly nodeName: string;
  /** What must arrive at the node. */
  readonly command: { readonly transport: string; readonly protocol: string };
  readonly forward: { readonly transport: string; readonly protocol: string };
}

const WEBSOCKET = {
  command: { transport: 'websocket', protocol: 'v5.channel.k8s.io' },
  forward: { transport: 'websocket', protocol: 'SPDY/3.1+portforward.k8s.io' },
};
const SPDY = {
  command: { transport: 'spdy', protocol: 'v4.channel.k8s.io' },
  forward: { transport: 'spdy', protocol: 'portforward.k8s.io' },
};
const WAYS: readonly Way[] = [
  { client: 'websocket', nodeName: 'declaring', node: () => declaring, ...WEBSOCKET },
  { client: 'spdy', nodeName: 'declaring', node: () => declaring, ...SPDY },
  { client: 'websocket', nodeName: 'silent', node: () => silent, ...SPDY },
  { client: 'spdy', nodeName: 'silent', node: () => silent, ...SPDY },
];

describe.each(WAYS)(
  'kubectl by $client to a node that is $nodeName',
  ({ client, node, nodeName, command, forward }) => {
    const pod = `box-${nodeName}`;
    const exec = (argv: readonly string[], input?: Uint8Array | string, ...flags: readonly string[]) =>
      world.kubectl(['exec', ...flags, pod, '--', ...argv], {
        transport: client,
        ...(input !== undefined && { input }),
      });
    const inTmux = (args: readonly string[]) =>
      kubectlInTmux(args, { kubeconfig: world.plane.kubeconfig, transport: client });

    it.each([
      { script: 'exit 0', code: 0, result: 'exit 0' },
      { script: 'exit 3', code: 3, result: 'exit 3' },
      { script: 'kill -9 $$', code: 137, result: 'exit 137' },
    ])('X-01 ends with $code: $script', async ({ script, code, result }) => {
      expect((await exec(['sh', '-c', script])).code).toBe(code);
      expect(await node().sessions.next()).toMatchObject([
        { session: 'exec', user: 'kube-apiserver-kubelet-client', pod, program: 'sh', ...command, result },
      ]);
    });

    it('says what cannot be started', async () => {
      const { code, stderr } = await exec(['no-such-program-1', 'topsecret']);
      expect(code).toBe(1);
      expect(stderr).toContain('exec: "no-such-program-1": executable file not found in $PATH');
      expect(await node().sessions.next()).toMatchObject([{ ...command, result: 'failed: invalid' }]);
    });

    it('X-02 X-04 hands on every argument, and keeps the streams apart byte by byte', async () => {
      const script = 'printf "%s|" "$@"; printf "\\377\\000err" >&2';
      const { code, stdout, stderr } = await exec([
        'sh',
        '-c',
        script,
        'sh',
        'a  b',
        "it's",
        '$HOME',
        'line\nbreak',
        '',
        '-x',
      ]);
      expect([code, stdout.toString()]).toEqual([0, "a  b|it's|$HOME|line\nbreak||-x|"]);
      expect(stderr).toContain('\uFFFD\0err');
      await node().sessions.next();
    });

    it('X-05 ends the input', async () => {
      const { code, stdout } = await exec(['sha256sum'], randomlyFilled(5_000_000, 7), '-i');
      expect([code, stdout.toString().split(' ')[0]]).toEqual([0, sha256(randomlyFilled(5_000_000, 7))]);
      expect(await node().sessions.next()).toMatchObject([{ ...command, bytesIn: 5_000_000, result: 'exit 0' }]);
    });

    it('loses nothing of 32 MB at a reader that is slow', async () => {
      const child = startKubectl(['exec', pod, '--', 'head', '-c', '33554432', '/dev/zero'], {
        kubeconfig: world.plane.kubeconfig,
        transport: client,
      });
      const exited = once(child, 'exit');
      await delay(1_000);
      let length = 0;
      for await (const chunk of child.stdout) {
        const mebibytes = Math.floor(length / 1_048_576);
        length += (chunk as Buffer).length;
        if (Math.floor(length / 1_048_576) > mebibytes) await delay(50);
      }
      expect([length, await exited]).toEqual([33_554_432, [0, null]]);
      expect(await node().sessions.next()).toMatchObject([{ ...command, bytesOut: 33_554_432, result: 'exit 0' }]);
    });

    it('copies 50 MB there and back', async () => {
      const [from, there, back] = ['from', 'there', 'back'].map((name) =>
        path.join(folder, `${client}-${nodeName}-${name}`),
      );
      const bytes = randomBytes(50_000_000);
      await writeFile(from ?? '', bytes);
      const up = await world.kubectl(['cp', from ?? '', `${pod}:${there}`], { transport: client });
      expect([up.code, sha256(await readFile(there ?? ''))]).toEqual([0, sha256(bytes)]);
      const down = await world.kubectl(['cp', `${pod}:${there}`, back ?? ''], { transport: client });
      expect([down.code, sha256(await readFile(back ?? ''))]).toEqual([0, sha256(bytes)]);
      // One asks whether the target is a folder, one takes the bytes, one gives them.
      expect((await node().sessions.next(3)).map(({ transport }) => transport)).toEqual(
        Array(3).fill(command.transport),
      );
    });

    it('X-08 forwards fifty connections side by side, and each half of one to its end', async () => {
      const web = createServer((_request, response) => response.end('x'.repeat(100_000))).listen(0, '127.0.0.1');
      const echo = createTcpServer({ allowHalfOpen: true }, echoLength).listen(0, '127.0.0.1');
      const [webPort, echoPort] = [await portOf(web), await portOf(echo)];
      const child = startKubectl(['port-forward', pod, `:${webPort}`, `:${echoPort}`], {
        kubeconfig: world.plane.kubeconfig,
        transport: client,
      });
      try {
        const ports = await forwardedPorts(child.stdout, 2);
        const answers = await Promise.all(
          Array.from({ length: 50 }, async () => {
            const response = await fetch(`http://127.0.0.1:${ports.get(webPort)}/`, {
              headers: { connection: 'close' },
            });
            return (await response.text()).length;
          }),
        );
        expect(answers).toEqual(Array(50).fill(100_000));
        const socket = connect({ host: '127.0.0.1', port: ports.get(echoPort) ?? 0, allowHalfOpen: true });
        socket.end(randomlyFilled(20_000_000, 3));
        expect(await text(socket)).toBe('20000000 bytes');
      } finally {
        child.kill('SIGINT');
        web.close();
        echo.close();
      }
      expect(await node().sessions.next()).toMatchObject([{ session: 'port-forward', ...forward }]);
    });

    it('goes on forwarding after a port where nobody listens', async () => {
      const web = createServer((_request, response) => response.end('here')).listen(0, '127.0.0.1');
      const closed = createServer().listen(0, '127.0.0.1');
      const [webPort, closedPort] = [await portOf(web), await portOf(closed)];
      closed.close();
      const child = startKubectl(['port-forward', pod, `:${webPort}`, `:${closedPort}`], {
        kubeconfig: world.plane.kubeconfig,
        transport: client,
      });
      try {
        const ports = await forwardedPorts(child.stdout, 2);
        await expect(fetch(`http://127.0.0.1:${ports.get(closedPort)}/`)).rejects.toThrow('fetch failed');
        expect(await (await fetch(`http://127.0.0.1:${ports.get(webPort)}/`)).text()).toBe('here');
      } finally {
        child.kill('SIGINT');
        web.close();
      }
      await node().sessions.next();
    });

    it('X-09 attaches to the first process, and ends with it', async () => {
      const name = `attached-${client}-${nodeName}`;
      const script = 'while read line; do echo "got:$line"; [ "$line" = quit ] && exit 0; done';
      await world.addPod(node(), name, { command: ['sh', '-c', script], stdin: true });
      const { code, stdout } = await world.kubectl(['attach', '-i', name], { transport: client, input: 'one\nquit\n' });
      expect([code, stdout.toString()]).toEqual([0, 'got:one\ngot:quit\n']);
      expect(await node().sessions.next()).toMatchObject([{ session: 'attach', ...command, result: 'ended' }]);
    });

    it('has a terminal that is resized, typed into and interrupted', async () => {
      const script =
        'stty size; trap "stty size" WINCH; trap "echo bye; exit 9" INT; read word; echo "<$word>"; while :; do sleep 0.1; done';
      const terminal = spawnInTerminal('kubectl', ['exec', '-it', pod, '--', 'sh', '-c', script], {
        cols: 101,
        rows: 31,
        env: kubectlEnvironment({ kubeconfig: world.plane.kubeconfig, transport: client }),
      });
      let screen = '';
      terminal.onData((data) => {
        screen += data;
      });
      const exited = new Promise<number>((resolve) => terminal.onExit(({ exitCode }) => resolve(exitCode)));
      const shows = (what: string): Promise<void> => world.until(`${what} in ${screen}`, () => screen.includes(what));
      await shows('31 101');
      terminal.write('word\r');
      await shows('<word>');
      terminal.resize(133, 40);
      await shows('40 133');
      terminal.write('\u0003');
      expect(await exited).toBe(9);
      expect(screen).toContain('bye');
      expect(await node().sessions.next()).toMatchObject([{ ...command, result: 'exit 9' }]);
    });

    it('is a terminal in tmux: seen from others, resized, split, interrupted, detached, and left', async () => {
      const window = await inTmux(['exec', '-it', pod, '--', ...SHELL_IN_TMUX]);
      await useShellInTmux(window);
      expect(await node().sessions.next()).toMatchObject([{ ...command, result: 'exit 7' }]);
    });

    it('X-11 ends the shell of a tmux window that is closed', async () => {
      const window = await inTmux(['exec', '-it', pod, '--', 'sh', '-c', 'echo pid $$; sleep 300; true']);
      const pid = Number(await window.shows(/^pid (\d+)$/m));
      expect(isAlive(pid)).toBe(true);
      await window.kill();
      await world.until('the process is gone', () => !isAlive(pid));
      expect(await node().sessions.next()).toMatchObject([{ ...command, result: 'cut: the client has gone' }]);
    });

    it('X-11 ends the process of a client that leaves', async () => {
      const child = startKubectl(['exec', pod, '--', 'sh', '-c', 'echo $$; sleep 300; true'], {
        kubeconfig: world.plane.kubeconfig,
        transport: client,
      });
      const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
      expect(isAlive(Number(line))).toBe(true);
      child.kill('SIGKILL');
      await world.until('the process is gone', () => !isAlive(Number(line)));
      expect(await node().sessions.next()).toMatchObject([{ ...command, result: 'cut: the client has gone' }]);
    });
  },
);

it('A-04 writes down the program, and no other argument', async () => {
  const log = await readFile(declaring.svk.log, 'utf8');
  expect(log).toContain('no-such-program-1');
  expect(log).not.toContain('topsecret');
});

it('X-11 ends sessions in which nothing happens or that never begin, and tells its clients when it closes', async () => {
  const node = await world.addNode('closing', { 'stream-idle-timeout': '3s', 'stream-creation-timeout': '2s' });
  await world.addPod(node, 'box-closing');
  const idle = await world.kubectl(['exec', 'box-closing', '--', 'sh', '-c', 'sleep 300; true']);
  expect([idle.code, idle.stderr]).toEqual([1, expect.stringContaining('nothing was sent or received for 3 s')]);
  expect(await node.sessions.next()).toMatchObject([{ result: 'cut: nothing was sent or received for 3 s' }]);

  const began = Date.now();
  await openNoStreams('/exec/default/box-closing/app?command=true&output=1');
  // Of 30 s where the flag had no effect.
  expect(Date.now() - began).toBeLessThan(20_000);

  const running = startKubectl(['exec', 'box-closing', '--', 'sh', '-c', 'while :; do echo .; sleep 0.2; done'], {
    kubeconfig: world.plane.kubeconfig,
  });
  const [stderr, exited] = [text(running.stderr), once(running, 'exit')];
  await once(running.stdout, 'data');
  running.stdout.resume();
  await node.svk.stop();
  expect(await stderr).toContain('the server is closing');
  expect(await exited).toEqual([1, null]);
  expect(await node.sessions.next()).toMatchObject([{ result: 'cut: the server is closing' }]);
});

/** Asks the node for SPDY and then says nothing; resolves when that is hung up on. */
const openNoStreams = async (url: string): Promise<void> => {
  const { clientCertificate, clientKey } = await credentialsFromKubeconfig(world.plane.kubeconfig);
  const request = httpsRequest({
    host: '127.0.0.1',
    port: (await world.node('closing')).status?.daemonEndpoints?.kubeletEndpoint?.Port,
    path: url,
    method: 'POST',
    headers: {
      connection: 'Upgrade',
      upgrade: 'SPDY/3.1',
      'x-stream-protocol-version': 'v4.channel.k8s.io',
      'content-length': '0',
    },
    cert: clientCertificate,
    key: clientKey,
    rejectUnauthorized: false,
    agent: false,
  });
  request.end();
  const [response, socket] = (await once(request, 'upgrade')) as [IncomingMessage, Socket];
  expect(response.statusCode).toBe(101);
  socket.on('error', () => undefined).resume();
  await once(socket, 'close');
};

/** Bytes that are hardly compressible and always the same. */
const randomlyFilled = (length: number, seed: number): Buffer => {
  const bytes = Buffer.alloc(length);
  for (let at = 0, state = seed; at < length; at += 1) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    bytes[at] = state >>> 16;
  }
  return bytes;
};

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

const echoLength = (socket: Socket): void => {
  let length = 0;
  socket.on('data', (chunk) => {
    length += chunk.length;
  });
  socket.on('end', () => socket.end(`${length} bytes`));
};

const portOf = async (server: ReturnType<typeof createTcpServer>): Promise<number> => {
  if (!server.listening) await once(server, 'listening');
  return (server.address() as { readonly port: number }).port;
};
