import { parseAdmissionSecrets } from '../adapters/secrets/admission-secrets.ts';
import type { KubeletHandler } from '../kubelet/http.ts';
import type { AdmissionOptions } from '../lambda/admission-handler.ts';
import type { LambdaOptions } from '../lambda/lambda-handler.ts';
import type { QueueWorkers } from '../lambda/queue-handler.ts';
import type { WorkQueue } from '../ports/work-queue.ts';
import { type ClusterSession, ClusterSessions } from './cluster-session.ts';
import { createFargate } from './fargate.ts';
import { createFoundation, type Foundation, type Surroundings, type Variables } from './foundation.ts';
import { createHeartbeat } from './heartbeat.ts';
import { createKubelets, kubeletAt } from './kubelet.ts';
import { createPodResync, createPodWorker, createTaskCollector } from './pods.ts';

/** One thing a schedule calls, and how its wrapper logs. */
export interface ScheduledApp {
  readonly run: (signal: AbortSignal) => Promise<void>;
  readonly options: LambdaOptions;
}

/** Of `node-heartbeat`: the run of each minute, and the beats of its queue. @throws {PermanentError} as {@link createFoundation}. */
export const heartbeatApp = (
  variables: Variables,
  surroundings?: Surroundings,
): ScheduledApp & { readonly workers: QueueWorkers } => {
  const foundation = createFoundation(variables, 'node-heartbeat', surroundings);
  const sessions = new ClusterSessions(foundation, (session) =>
    createHeartbeat(foundation, session, createFargate(foundation, session)),
  );
  return {
    run: (signal) => sessions.with(signal, (heartbeat) => heartbeat.scheduled(signal)),
    workers: { beats: { beat: (beat, signal) => sessions.with(signal, (heartbeat) => heartbeat.beat(beat, signal)) } },
    options: optionsOf(foundation),
  };
};

/** Of `pod-worker`: wakes, notifications of the provider, and every second beat. */
export const podWorkerApp = (
  variables: Variables,
  surroundings?: Surroundings,
): { readonly workers: QueueWorkers; readonly options: LambdaOptions } => {
  const foundation = createFoundation(variables, 'pod-worker', surroundings);
  const sessions = new ClusterSessions(foundation, (session) => {
    const provider = foundation.metrics.launching(createFargate(foundation, session));
    return {
      pods: foundation.metrics.counted(createPodWorker(foundation, session, provider)),
      heartbeat: createHeartbeat(foundation, session, provider),
    };
  });
  return {
    workers: {
      pods: { work: (items, signal) => sessions.with(signal, ({ pods }) => pods.work(items, signal)) },
      beats: { beat: (beat, signal) => sessions.with(signal, ({ heartbeat }) => heartbeat.beat(beat, signal)) },
    },
    options: optionsOf(foundation),
  };
};

/** Of `pod-resync`. */
export const podResyncApp = (variables: Variables, surroundings?: Surroundings): ScheduledApp =>
  scheduledApp(variables, 'pod-resync', createPodResync, surroundings);

/** Of `task-collector`. */
export const taskCollectorApp = (variables: Variables, surroundings?: Surroundings): ScheduledApp =>
  scheduledApp(variables, 'task-collector', createTaskCollector, surroundings);

/** Of `admission`: it needs a queue and a secret, no cluster. */
export const admissionApp = (variables: Variables): AdmissionOptions => {
  const foundation = createFoundation(variables, 'admission');
  const { environment, parameters } = foundation;
  const parameter = environment.admissionSecretParameter;
  const queue: WorkQueue = foundation.podQueue;
  return {
    ...optionsOf(foundation),
    nodes: environment.settings.nodes.map(({ name }) => name),
    queue,
    secrets: async (signal) =>
      parseAdmissionSecrets(await parameters.get(parameter, signal), `SSM parameter ${parameter}`),
  };
};

/** Of `kubelet-api` and `container-logs`. */
export const kubeletApp = (
  variables: Variables,
  service: string,
): { readonly handler: KubeletHandler; readonly options: LambdaOptions } => {
  const foundation = createFoundation(variables, service);
  const sessions = new ClusterSessions(foundation, (session) =>
    createKubelets(foundation, session, createFargate(foundation, session)),
  );
  return {
    handler: (request) => sessions.with(request.signal, (kubelets) => kubeletAt(foundation, kubelets, request)),
    options: optionsOf(foundation),
  };
};

const scheduledApp = (
  variables: Variables,
  service: string,
  create: (
    foundation: Foundation,
    session: ClusterSession,
    provider: ReturnType<typeof createFargate>,
  ) => (signal: AbortSignal) => Promise<void>,
  surroundings?: Surroundings,
): ScheduledApp => {
  const foundation = createFoundation(variables, service, surroundings);
  const sessions = new ClusterSessions(foundation, (session) =>
    create(foundation, session, createFargate(foundation, session)),
  );
  return {
    run: (signal) => sessions.with(signal, (run) => run(signal)),
    options: optionsOf(foundation),
  };
};

const optionsOf = ({ clock, logger, middleware, metrics }: Foundation): LambdaOptions => ({
  clock,
  logger,
  middlewares: [middleware, ...metrics.middlewares],
});
