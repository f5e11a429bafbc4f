import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { matchesPattern } from '../../infra/local/cloud/event-rules.ts';
import { KubernetesClient } from '../../src/adapters/kubernetes/kubernetes-client.ts';
import { SystemClock } from '../../src/adapters/system/system-clock.ts';
import { heartbeatApp, podResyncApp, podWorkerApp } from '../../src/app/function-apps.ts';
import type { PodWork } from '../../src/controllers/pod/pod-worker.ts';
import type { Pod } from '../../src/model/kubernetes.ts';
import { waitFor } from '../support/local-cloud.ts';
import { startCountedCloud, type WireCall } from './counted-cloud.ts';
import type { Measurement } from './measurement.ts';

const OWN_AGENT = 'svk-bench';
const PODS = '/api/v1/namespaces/default/pods';

/**
 * Calls at the wire for one plain pod from create over Running and Succeeded to deleted, in Lambda mode: the pod worker's
 * own code against real servers, woken as the admission function and EventBridge wake it. Neither schedules nor beats
 * run, so that every call counted is the pod's. The first pod of a template pays for its definition; a second pod shows
 * what the others cost.
 */
export async function* run(): AsyncIterable<Measurement> {
  const signal = AbortSignal.timeout(120_000);
  const queue: PodWork[] = [];
  let eventMessages = 0;
  const cloud = await startCountedCloud((event) => {
    if (!matchesPattern(STATES, event)) return;
    eventMessages += 1;
    queue.push({ kind: 'notification', notification: event });
  });
  const { workers } = podWorkerApp(cloud.variables);
  const client = new KubernetesClient(
    {
      server: cloud.kubernetes.url,
      certificateAuthority: cloud.kubernetes.certificateAuthority,
      token: cloud.kubernetes.token,
    },
    { clock: new SystemClock(), userAgent: OWN_AGENT },
  );
  const settle = async (until: () => Promise<boolean>, what: string): Promise<void> => {
    await waitFor(
      async () => {
        const batch = queue.splice(0, 10);
        if (batch.length > 0) await workers.pods?.work(batch, signal);
        return until();
      },
      { what },
    );
  };
  const read = (name: string): Promise<Pod | undefined> =>
    client.get<Pod>(`${PODS}/${name}`, { signal }).catch(() => undefined);

  try {
    await heartbeatApp(cloud.variables).run(signal);
    await podResyncApp(cloud.variables).run(signal);
    for (const subject of ['lambda-first-of-template', 'lambda']) {
      cloud.calls.length = 0;
      eventMessages = 0;
      const name = subject === 'lambda' ? 'second' : 'first';
      const created = await client.create<Pod>(PODS, podOf(name), { signal });
      const uid = created.metadata?.uid ?? '';
      const wake = (reason: 'bind' | 'delete'): void =>
        void queue.push({
          kind: 'wake',
          wake: { v: 1, kind: 'wake', reason, uid, namespace: 'default', name, node: 'fargate' },
        });
      wake('bind');
      await settle(async () => (await read(name))?.status?.phase === 'Running', 'Running');
      await settle(async () => (await read(name))?.status?.phase === 'Succeeded', 'Succeeded');
      await quiet(settle);
      await client.delete(`${PODS}/${name}`, { signal });
      wake('delete');
      await settle(async () => (await read(name)) === undefined, 'the end of the pod');
      await quiet(settle);
      yield* figures(subject, cloud.calls, eventMessages);
    }
  } finally {
    client.close();
    await cloud.close();
  }
}

/** Lets late events come and be worked on. */
const quiet = async (settle: (until: () => Promise<boolean>, what: string) => Promise<void>): Promise<void> => {
  const end = Date.now() + 3_000;
  await settle(async () => Date.now() > end, 'quiet');
};

/** What the event rules of the deployment let through: the states in their pattern. */
const STATES: unknown = (() => {
  const file = parse(readFileSync('infra/resources/task-events.yml', 'utf8'), { merge: true, logLevel: 'silent' }) as {
    Resources: { TaskProgressRule: { Properties: { EventPattern: { detail: { lastStatus: unknown } } } } };
  };
  return { detail: { lastStatus: file.Resources.TaskProgressRule.Properties.EventPattern.detail.lastStatus } };
})();

const podOf = (name: string): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name },
  spec: {
    nodeName: 'fargate',
    restartPolicy: 'Never',
    terminationGracePeriodSeconds: 2,
    containers: [{ name: 'main', image: 'bench', env: [{ name: 'SVK_SIMULATE', value: 'run 2s; exit 0' }] }],
  },
});

function* figures(subject: string, calls: readonly WireCall[], sqs: number): Iterable<Measurement> {
  const own = calls.filter(({ agent }) => agent !== OWN_AGENT);
  const isEvent = ({ operation }: WireCall): boolean => operation.endsWith('/events');
  const of = (service: WireCall['service']): readonly WireCall[] => own.filter((call) => call.service === service);
  const ecs = of('aws').filter(({ operation }) => /Task|Cluster/.test(operation));
  const common = { bench: 'calls', unit: 'calls', subject } as const;
  const kubernetes = of('kubernetes');
  yield { ...common, metric: 'kubernetes_calls_per_pod', ...tally(kubernetes.filter((call) => !isEvent(call))) };
  yield { ...common, metric: 'kubernetes_event_calls_per_pod', ...tally(kubernetes.filter(isEvent)) };
  yield { ...common, metric: 'ecs_calls_per_pod', ...tally(ecs) };
  yield { ...common, metric: 'dynamodb_calls_per_pod', ...tally(of('dynamodb')) };
  // Two sends by the admission function, and one message for each event that the rules let through.
  yield {
    ...common,
    metric: 'sqs_calls_per_pod',
    value: 2 + sqs,
    detail: { SendMessage: 2, 'EventBridge delivery': sqs },
  };
}

const tally = (calls: readonly WireCall[]): { readonly value: number; readonly detail: Record<string, number> } => {
  const detail: Record<string, number> = {};
  for (const { operation } of calls) {
    const name = operation.replace(/\/(first|second)(?=\/|$)/, '/NAME');
    detail[name] = (detail[name] ?? 0) + 1;
  }
  return { value: calls.length, detail };
};
