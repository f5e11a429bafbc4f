/** The server side of the `logs` benchmark: the kubelet API behind its HTTPS server, with a log that has no end. */
import { createCertificateAuthority } from '../../../infra/local/tls/certificate-authority.ts';
import { SystemClock } from '../../../src/adapters/system/system-clock.ts';
import type { LogQuery } from '../../../src/model/log-query.ts';
import { limitBytes } from '../../../src/providers/logs/limit-bytes.ts';
import { startKubeletServer } from '../../../src/server/kubelet-server.ts';
import { KubeletWorld } from '../../unit/kubelet/kubelet-world.ts';
import { answerParent } from '../exec/answer-parent.ts';

/** What the benchmark is told when it listens. */
export interface LogTargetPorts {
  readonly port: number;
}

/** Lines as programs print them, as many as a provider hands on at once. */
const LINE = 'a line of a log as programs print them, of eighty characters or so: 0123456789\n';
const LINES = Buffer.from(LINE.repeat(819));

async function* endless(): AsyncGenerator<Uint8Array, never> {
  for (;;) yield LINES;
}

const world = new KubeletWorld({ insecureAllowAnonymous: true });
await world.run(world.addPod('web'));
Object.assign(world.provider, { logs: ({ limitBytes: bytes }: LogQuery) => limitBytes(endless(), bytes) });
const authority = await createCertificateAuthority({ commonName: 'bench', now: Date.now() });
const { certificate, key } = await authority.issueServer({ commonName: 'bench', names: ['127.0.0.1'] });
const { port } = await startKubeletServer({
  host: '127.0.0.1',
  port: 0,
  certificates: { certificate, privateKey: key },
  handler: world.upgrading,
  clock: new SystemClock(),
  logger: world.logger,
});
const ports: LogTargetPorts = { port };
answerParent(ports);
