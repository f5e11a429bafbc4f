import type { KubernetesCredentials } from '../../../src/adapters/kubernetes/credentials.ts';
import { KubernetesClient } from '../../../src/adapters/kubernetes/kubernetes-client.ts';
import { SystemClock } from '../../../src/adapters/system/system-clock.ts';
import { NotFoundError } from '../../../src/core/errors.ts';
import type { Node } from '../../../src/model/kubernetes.ts';

/** Waits until every node is Ready. @throws naming the first that is not within `withinMs`. */
export const nodesReady = async (
  credentials: KubernetesCredentials,
  names: readonly string[],
  withinMs: number,
): Promise<void> => {
  const clock = new SystemClock();
  const client = new KubernetesClient(credentials, { clock });
  const end = clock.now() + withinMs;
  try {
    for (const name of names) {
      while (!(await isReady(client, name))) {
        if (clock.now() > end)
          throw new Error(`node ${name} did not become Ready within ${withinMs / 1_000} s; see serverless.log`);
        await clock.sleep(100);
      }
    }
  } finally {
    client.close();
  }
};

const isReady = async (client: KubernetesClient, name: string): Promise<boolean> => {
  try {
    const node = await client.get<Node>(`/api/v1/nodes/${name}`, { signal: AbortSignal.timeout(10_000) });
    return node.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false;
  } catch (error) {
    if (error instanceof NotFoundError) return false;
    throw error;
  }
};
