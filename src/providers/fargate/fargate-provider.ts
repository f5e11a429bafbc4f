import type { Duplex } from 'node:stream';
import type { Clock, Random } from '../../core/clock.ts';
import { dispositionOf, PermanentError } from '../../core/errors.ts';
import type { Allocatable } from '../../model/environment.ts';
import type { Pod } from '../../model/kubernetes.ts';
import type { LaunchRequest, LaunchResult, LaunchToken } from '../../model/launch.ts';
import type { LogQuery } from '../../model/log-query.ts';
import type { AttachQuery, ExecQuery, PortQuery, SessionKeyQuery, SessionQuery } from '../../model/remote-query.ts';
import type { Workload } from '../../model/workload.ts';
import type { WorkloadStats } from '../../model/workload-stats.ts';
import type { Logger } from '../../ports/logger.ts';
import type { Described, PodSources, Preparation, Provider } from '../../ports/provider.ts';
import type { RemoteDataKey, RemoteSession, RemoteStreams } from '../../ports/remote-streams.ts';
import type { ResourceStore } from '../../ports/resource-store.ts';
import type { AwsApis } from './aws/clients.ts';
import { awsFaultOf, translateAwsError, translated } from './aws/errors.ts';
import type { FargateDeployment } from './deployment.ts';
import { attachToLog } from './exec/attach.ts';
import { connectToPort } from './exec/connect-port.ts';
import { FargateExec } from './exec/fargate-exec.ts';
import { DefinitionRegistry } from './launch/definition-registry.ts';
import { launchTask } from './launch/launch-task.ts';
import { loginVault } from './launch/login-vault.ts';
import { parameterVault } from './launch/parameter-vault.ts';
import { runTaskRequest } from './launch/run-task-request.ts';
import { SharedSecrets } from './launch/shared-secrets.ts';
import { readLogs } from './logs/read-logs.ts';
import { allocatableOf, preparePod } from './prepare/prepare-pod.ts';
import type { FargatePrepared } from './prepare/prepared.ts';
import { pullsWithLogin } from './prepare/registry-credentials.ts';
import { TaskStats } from './stats/task-stats.ts';
import { workloadOfEvent } from './tasks/task-event.ts';
import { identityOf, startedByOf } from './tasks/task-identity.ts';
import { TaskReader } from './tasks/task-reader.ts';
import { taskToWorkload } from './tasks/task-to-workload.ts';

export interface FargateDependencies extends FargateDeployment, Omit<AwsApis, 'close'> {
  readonly resources: ResourceStore;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** Names the Kubernetes cluster in `startedBy`; letters, digits and dashes. Called only when it is needed; throws an error of core/errors until it is known. */
  readonly clusterHash: () => string;
}

const MAX_STOP_REASON_LENGTH = 1024;

/** Runs pods as ECS tasks on Fargate, one task for each attempt. */
export class FargateProvider implements Provider<FargatePrepared> {
  readonly name = 'fargate';
  readonly title = 'Fargate';
  readonly #deps: FargateDependencies;
  readonly #tasks: TaskReader;
  readonly #definitions: DefinitionRegistry;
  readonly #exec: FargateExec;
  readonly #parameters: SharedSecrets;
  readonly #logins: SharedSecrets;
  readonly #stats: TaskStats;

  constructor(deps: FargateDependencies) {
    this.#deps = deps;
    this.#tasks = new TaskReader(deps.ecs, deps.clusterArn);
    this.#definitions = new DefinitionRegistry(deps.ecs, deps);
    this.#exec = new FargateExec({ ...deps, tasks: this.#tasks });
    this.#parameters = new SharedSecrets(parameterVault(deps.parameters), deps);
    this.#logins = new SharedSecrets(loginVault(deps.secrets), deps);
    this.#stats = new TaskStats({ ...deps, running: (signal) => this.list({ stopped: false }, signal) });
  }

  prepare(pod: Pod, sources: PodSources): Preparation<FargatePrepared> {
    return preparePod(pod, sources, this.#deps);
  }

  pullsWithLogin(image: string): boolean {
    return pullsWithLogin(image);
  }

  allocatable(pod: Pod): Allocatable | undefined {
    return allocatableOf(pod);
  }

  async provision(prepared: FargatePrepared, token: LaunchToken, signal: AbortSignal): Promise<LaunchRequest> {
    const { clusterArn, clusterHash } = this.#deps;
    await this.#parameters.ensure(prepared.parameters, signal);
    await this.#logins.ensure(prepared.logins, signal);
    const taskDefinition = await this.#definitions.arnOf(prepared.definitionHash, prepared.definition, signal);
    return runTaskRequest(prepared.run, token, { clusterArn, clusterHash: clusterHash(), taskDefinition });
  }

  launch(request: LaunchRequest, signal: AbortSignal): Promise<LaunchResult> {
    const { ecs } = this.#deps;
    const forgetDefinition = (arn: string): Promise<void> => this.#forgetDefinition(arn);
    return launchTask({ ecs, tasks: this.#tasks, forgetDefinition }, request, signal);
  }

  describe(ids: readonly string[], signal: AbortSignal): Promise<Described> {
    return this.#tasks.describe(ids, signal);
  }

  async find(podUid: string, signal: AbortSignal): Promise<readonly Workload[]> {
    const newest = new Map<string, Workload>();
    // RUNNING first: a task that stops in between is then seen twice, never missed.
    for (const desiredStatus of ['RUNNING', 'STOPPED'] as const) {
      const filter = { startedBy: startedByOf(this.#deps.clusterHash(), podUid), desiredStatus };
      for await (const workload of this.#own(filter, signal)) {
        if (workload.version >= (newest.get(workload.id)?.version ?? 0)) newest.set(workload.id, workload);
      }
    }
    return [...newest.values()];
  }

  /** A task that stops meanwhile may be seen twice, with growing versions. */
  async *list({ stopped }: { readonly stopped: boolean }, signal: AbortSignal): AsyncIterable<Workload> {
    yield* this.#own({ desiredStatus: 'RUNNING' }, signal);
    if (stopped) yield* this.#own({ desiredStatus: 'STOPPED' }, signal);
  }

  async stop(
    id: string,
    { reason }: { readonly graceSeconds: number; readonly reason: string },
    signal: AbortSignal,
  ): Promise<void> {
    const { ecs, clusterArn } = this.#deps;
    try {
      await ecs.stopTask({ cluster: clusterArn, task: id, reason: reason.slice(0, MAX_STOP_REASON_LENGTH) }, signal);
    } catch (error) {
      if (!/task was not found|not find task/i.test(awsFaultOf(error).message))
        throw translateAwsError(error, 'ECS StopTask');
    }
  }

  logs(query: LogQuery, signal: AbortSignal): AsyncIterable<Uint8Array> {
    return readLogs({ ...this.#deps, tasks: this.#tasks }, query, signal);
  }

  exec(query: ExecQuery, streams: RemoteStreams, signal: AbortSignal): Promise<number> {
    return this.#exec.exec(query, streams, signal);
  }

  openSession(query: SessionQuery, signal: AbortSignal): Promise<RemoteSession> {
    return this.#exec.openSession(query, signal);
  }

  sessionKey(query: SessionKeyQuery, signal: AbortSignal): Promise<RemoteDataKey> {
    return this.#exec.sessionKey(query, signal);
  }

  async attach(query: AttachQuery, streams: RemoteStreams, signal: AbortSignal): Promise<void> {
    await attachToLog({ ...this.#deps, tasks: this.#tasks }, query, streams, signal);
  }

  connect(query: PortQuery, signal: AbortSignal): Promise<Duplex> {
    return connectToPort({ ...this.#deps, tasks: this.#tasks }, query, signal);
  }

  /** @throws {NotFoundError} where the ECS cluster has no Container Insights. */
  stats(signal: AbortSignal): Promise<readonly WorkloadStats[]> {
    return this.#stats.get(signal);
  }

  observationOf(notification: unknown): Workload | undefined {
    return workloadOfEvent(notification, this.#deps.clusterArn);
  }

  async ping(signal: AbortSignal): Promise<void> {
    const { ecs, clusterArn } = this.#deps;
    const { clusters = [] } = await translated('ECS DescribeClusters', () =>
      ecs.describeClusters({ clusters: [clusterArn] }, signal),
    );
    const status = clusters.find((cluster) => cluster.clusterArn === clusterArn)?.status;
    if (status !== 'ACTIVE')
      throw new PermanentError(
        `ECS cluster ${clusterArn} is ${status ?? 'missing'}: deploy again, or name another cluster`,
      );
  }

  async collect(signal: AbortSignal): Promise<void> {
    await this.#parameters.collect(signal);
    await this.#logins.collect(signal);
    await this.#definitions.collect(signal);
  }

  /** Tasks of this Kubernetes cluster only: those of another one, served before, are none of ours. */
  async *#own(filter: Parameters<TaskReader['list']>[0], signal: AbortSignal): AsyncIterable<Workload> {
    const clusterHash = this.#deps.clusterHash();
    for await (const task of this.#tasks.list(filter, signal)) {
      if (identityOf(task.startedBy, task.group)?.clusterHash === clusterHash) yield taskToWorkload(task);
    }
  }

  async #forgetDefinition(arn: string): Promise<void> {
    try {
      await this.#definitions.forget(arn);
    } catch (error) {
      // The next launch meets the same definition and comes here again.
      this.#deps.logger.warn('inactive task definition not forgotten', { arn, disposition: dispositionOf(error) });
    }
  }
}
