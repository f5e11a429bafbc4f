import type { Duplex } from 'node:stream';
import type { Allocatable, ResolvedEnvironment } from '../model/environment.ts';
import type { Pod } from '../model/kubernetes.ts';
import type { LaunchRequest, LaunchResult, LaunchToken } from '../model/launch.ts';
import type { LogQuery } from '../model/log-query.ts';
import type { Note, Problem } from '../model/problem.ts';
import type { RegistryLogin } from '../model/registry-login.ts';
import type { AttachQuery, ExecQuery, PortQuery, SessionKeyQuery, SessionQuery } from '../model/remote-query.ts';
import type { Workload } from '../model/workload.ts';
import type { WorkloadStats } from '../model/workload-stats.ts';
import type { RemoteDataKey, RemoteSession, RemoteStreams } from './remote-streams.ts';

/**
 * Where pods run. What virtual-kubelet calls PodLifecycleHandler, made level-triggered and stateless: restart policy,
 * back-off, deadlines, status, events and clean-up are the controllers' and equal for all providers.
 *
 * Every method but `prepare` rejects with an error of core/errors only, and gives up when `signal` aborts.
 */
export interface Provider<Prepared = unknown> {
  /** Registered name, as in `--provider`. */
  readonly name: string;

  /** What users call it, for reasons of events such as `UnsupportedOnFargate`. Without one they are neutral. */
  readonly title?: string;

  /**
   * True where what the provider does not know does not exist: it keeps its workloads in this process. Of the others one
   * answer proves nothing, since their views lag: they are asked again for minutes.
   */
  readonly isConclusive?: true;

  /**
   * Pure. What the pod becomes here, or every problem at once. `Prepared` may hold secret values: it stays in memory and
   * is never stored or logged.
   */
  prepare(pod: Pod, sources: PodSources): Preparation<Prepared>;

  /**
   * Pure. True where this image is pulled with a login of the pod's (`imagePullSecrets`), if it brings one that fits.
   * Providers that pull nothing, or never with the pod's logins, leave it out.
   */
  pullsWithLogin?(image: string): boolean;

  /**
   * Pure. The size of the sandbox this pod would get, which environment variables made from missing limits show.
   * Undefined where the pod fits nowhere.
   */
  allocatable?(pod: Pod): Allocatable | undefined;

  /**
   * Makes what a launch needs (definitions, parameters), repeatably, and renders the request. Starts nothing.
   * Equal (`prepared`, `token`) give equal bytes.
   */
  provision(prepared: Prepared, token: LaunchToken, signal: AbortSignal): Promise<LaunchRequest>;

  /** Sends the request once. Never throws for an answer or for silence: both are results. */
  launch(request: LaunchRequest, signal: AbortSignal): Promise<LaunchResult>;

  /** Current state of these workloads. An id in neither list was not asked for. */
  describe(ids: readonly string[], signal: AbortSignal): Promise<Described>;

  /** Every workload of this pod the provider still knows, live or stopped. Strongly the provider's own view. */
  find(podUid: string, signal: AbortSignal): Promise<readonly Workload[]>;

  /** Every workload of this deployment the provider still knows, live or (where `stopped`) stopped lately. */
  list(options: { readonly stopped: boolean }, signal: AbortSignal): AsyncIterable<Workload>;

  /** Asks for the stop. Stopping a stopped or forgotten one is success. The grace time was fixed at launch where the provider cannot vary it. */
  stop(
    id: string,
    options: { readonly graceSeconds: number; readonly reason: string },
    signal: AbortSignal,
  ): Promise<void>;

  /** The container's output, by kubelet's rules for every option; ends when the container has ended or `signal` aborts. */
  logs(query: LogQuery, signal: AbortSignal): AsyncIterable<Uint8Array>;

  /**
   * Runs a command in a running container, beside its own process, and answers its exit code (0 to 255; 128 + n for the
   * signal n) once all of its output was taken. The command ends where `signal` aborts.
   * @throws {NotFoundError} the workload or its container does not run. @throws {InvalidError} the command cannot be
   * started there, with the reason a user understands.
   */
  exec?(query: ExecQuery, streams: RemoteStreams, signal: AbortSignal): Promise<number>;

  /**
   * Joins the streams of the container's first process from now on; resolves when the container has ended. `signal`
   * ends the joining, never the container.
   * @throws {InvalidError} where the caller asks for an input that the container does not have.
   */
  attach?(query: AttachQuery, streams: RemoteStreams, signal: AbortSignal): Promise<void>;

  /**
   * A TCP connection to a port of the pod, half-open where one side has ended.
   * @throws {NotFoundError} the workload does not run. @throws {TransientError} nobody listens at the port.
   */
  connect?(query: PortQuery, signal: AbortSignal): Promise<Duplex>;

  /** Starts a command and hands its stream to the caller instead of carrying it: for endpoints that cannot upgrade. */
  openSession?(query: SessionQuery, signal: AbortSignal): Promise<RemoteSession>;

  /**
   * Makes the data key of such a session, where the agent turns out to encrypt it: the caller has no credentials for that.
   * @throws {PermanentError} no such key may be made here, with what to allow.
   */
  sessionKey?(query: SessionKeyQuery, signal: AbortSignal): Promise<RemoteDataKey>;

  /** Reads a notification of the provider's (Fargate: an EventBridge event); undefined where it is none of ours. Pure. */
  observationOf(notification: unknown): Workload | undefined;

  /**
   * Tells of every change of a workload from now on, in the order of its versions; answers what ends that. Only providers
   * that learn of changes in this process have it (virtual-kubelet's NotifyPods); the others are asked again and again.
   */
  watch?(onChange: (workload: Workload) => void): () => void;

  /**
   * What the live workloads of this deployment use now, for `/stats/summary` and `/metrics/resource`. Providers without
   * figures of their own leave it out. @throws {NotFoundError} where it turns out that there are none to be had.
   */
  stats?(signal: AbortSignal): Promise<readonly WorkloadStats[]>;

  /** Light health check. */
  ping(signal: AbortSignal): Promise<void>;

  /** Removes what no pod needs any more (definitions, parameters). Called every few minutes. */
  collect(signal: AbortSignal): Promise<void>;
}

export interface PodSources {
  readonly node: string;
  readonly environment: ResolvedEnvironment;
  /** By container name; see `pullsWithLogin`. */
  readonly logins?: Readonly<Record<string, RegistryLogin>>;
}

export type Preparation<Prepared> =
  | {
      readonly ok: true;
      readonly prepared: Prepared;
      /** What is silently different from a kubelet for this pod; told in one event. */
      readonly notes: readonly Note[];
      /** The chosen size and why, for an event: `0.25 vCPU, 512 MiB …`. Empty where there is nothing to tell. */
      readonly summary: string;
    }
  | { readonly ok: false; readonly problems: readonly Problem[] };

export interface Described {
  readonly workloads: readonly Workload[];
  /** Ids the provider says it does not know (yet, or any more). */
  readonly missing: readonly string[];
}
