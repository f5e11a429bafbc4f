import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { startPeer } from '../bench/peer.ts';
import { startControlPlane } from '../support/control-plane.ts';
import { addProxyPod } from './proxy-pod.ts';
import { startSvk } from './svk.ts';

/**
 * Runs virtual-kubelet's end-to-end suite against a node, everything it needs included: a control plane, `svk run` (or
 * upstream's own command, `--subject peer`), and the pod its last tests go through. `--address`: where the node listens,
 * port 10250. Ends with the suite's exit code. Started by test/cluster/upstream-e2e.test.ts, in a network of its own.
 */
const { values } = parseArgs({
  options: {
    subject: { type: 'string' },
    address: { type: 'string' },
    suite: { type: 'string' },
    skip: { type: 'string', default: '' },
  },
});
const { subject = '', address = '', suite = '', skip } = values;
const NODE = 'svk-e2e';

const stopped = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopped.abort());

interface Subject {
  /** A file. */
  readonly log: string;
  stop(): Promise<void>;
}

const start = async (plane: Awaited<ReturnType<typeof startControlPlane>>): Promise<Subject> => {
  if (subject === 'mock' || subject === 'fargate') return startSvk(plane, { provider: subject, node: NODE, address });
  if (subject === 'peer') return startPeer(plane, { node: NODE, address, port: 10_250 });
  throw new Error(`--subject must be mock, fargate or peer, not "${subject}"`);
};

const runSuite = async (kubeconfig: string): Promise<number> => {
  const args = ['-test.v', '-test.timeout=8m', `-kubeconfig=${kubeconfig}`, '-namespace=default', `-node-name=${NODE}`];
  const child = spawn(suite, [...args, ...(skip === '' ? [] : [`-test.skip=/^(${skip})$`])], {
    stdio: 'inherit',
    signal: stopped.signal,
  });
  child.on('error', (error) => console.error(error.message));
  const [code]: unknown[] = await once(child, 'close');
  return typeof code === 'number' ? code : 1;
};

const plane = await startControlPlane();
try {
  const node = await start(plane);
  try {
    await addProxyPod(plane.kubeconfig, { name: NODE, address });
    process.exitCode = await runSuite(plane.kubeconfig);
    if (process.exitCode !== 0) console.error(await readFile(node.log, 'utf8'));
  } finally {
    await node.stop();
  }
} finally {
  await plane.remove();
}
