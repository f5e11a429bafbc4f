/** The server side of the `exec` benchmark, a process of its own: byte streams as targets, and bare pipes beside them. */
import http from 'node:http';
import https from 'node:https';
import net, { type AddressInfo } from 'node:net';
import { type Duplex, Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createCertificateAuthority } from '../../../infra/local/tls/certificate-authority.ts';
import { SystemClock } from '../../../src/adapters/system/system-clock.ts';
import { acceptRemoteCommand } from '../../../src/streaming/remote-command.ts';
import type { UpgradeRequest } from '../../../src/streaming/session.ts';
import { answerParent } from './answer-parent.ts';

/** What the benchmark is told when all listen. */
export interface TargetPorts {
  readonly plain: number;
  readonly tls: number;
  readonly pipe: number;
}

const CHUNK = Buffer.alloc(65_536, 'x');
const LIMITS = { idleTimeoutMs: 14_400_000, creationTimeoutMs: 30_000 };
const DEPS = { clock: new SystemClock(), closing: new AbortController().signal };

/** So many bytes, as a process's pipe gives them. */
const source = (bytes: number): Readable => {
  let left = bytes;
  return new Readable({
    highWaterMark: CHUNK.length,
    read() {
      const chunk = CHUNK.subarray(0, left);
      left -= chunk.length;
      this.push(chunk.length === 0 ? null : chunk);
    },
  });
};

/** Takes all and keeps nothing. */
const sink = (): Writable => new Writable({ write: (_chunk, _encoding, callback) => callback() });

const serve = async (upgrade: UpgradeRequest): Promise<void> => {
  const query = new URL(upgrade.message.url ?? '', 'http://target').searchParams;
  const bytes = Number(query.get('bytes'));
  const options = { stdin: query.has('in'), stdout: query.has('out'), stderr: false, tty: false };
  const session = await acceptRemoteCommand(upgrade, options, LIMITS, DEPS);
  if (session === undefined || query.has('idle')) return;
  if (session.stdout !== undefined) await pipeline(source(bytes), session.stdout, { end: false });
  if (session.stdin !== undefined) await pipeline(session.stdin, sink());
  await session.finish({ exitCode: 0 });
};

/** The first byte says which way: `o` for output, then the count; anything else is input, answered by one byte. */
const servePipe = (socket: net.Socket): void => {
  socket.on('error', () => undefined);
  socket.once('data', (first: Buffer) => {
    const bytes = Number(first.toString('latin1', 1));
    if (first[0] === 0x6f) source(bytes).pipe(socket);
    else socket.pipe(sink()).on('finish', () => socket.end('.'));
  });
};

const listen = async (server: net.Server): Promise<number> => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
};

const authority = await createCertificateAuthority({ commonName: 'bench', now: Date.now() });
const { certificate, key } = await authority.issueServer({ commonName: 'bench', names: ['127.0.0.1'] });
const onUpgrade = (message: http.IncomingMessage, socket: Duplex, head: Buffer): void =>
  void serve({ message, socket, head }).catch(() => socket.destroy());
const ports: TargetPorts = {
  plain: await listen(http.createServer().on('upgrade', onUpgrade)),
  tls: await listen(https.createServer({ cert: certificate, key }).on('upgrade', onUpgrade)),
  pipe: await listen(net.createServer({ allowHalfOpen: true }, servePipe)),
};

answerParent(ports);
