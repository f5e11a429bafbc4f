import { DescribeClustersCommand, ECSClient, ListTasksCommand, StopTaskCommand } from '@aws-sdk/client-ecs';
import { awsError } from '../aws/errors.ts';

/** Tasks of one ECS cluster, as an operator sees and ends them. */
export class ClusterTasks {
  readonly #client: Pick<ECSClient, 'send'>;
  readonly #cluster: string;

  /** `endpoint`: another address than AWS's. */
  static at(cluster: string, options: { readonly region: string; readonly endpoint?: string }): ClusterTasks {
    return new ClusterTasks(new ECSClient({ ...options, maxAttempts: 3 }), cluster);
  }

  constructor(client: Pick<ECSClient, 'send'>, cluster: string) {
    this.#client = client;
    this.#cluster = cluster;
  }

  /** `ACTIVE` where the cluster can run tasks; undefined where there is none. */
  async status(signal: AbortSignal): Promise<string | undefined> {
    try {
      const command = new DescribeClustersCommand({ clusters: [this.#cluster] });
      const { clusters = [] } = await this.#client.send(command, { abortSignal: signal });
      return clusters[0]?.status;
    } catch (error) {
      throw awsError(error, { doing: `describe ECS cluster ${this.#cluster}` });
    }
  }

  /** ARNs of the tasks that are to run. */
  async running(signal: AbortSignal): Promise<readonly string[]> {
    const arns: string[] = [];
    let nextToken: string | undefined;
    do {
      const input = { cluster: this.#cluster, desiredStatus: 'RUNNING' as const, ...(nextToken && { nextToken }) };
      try {
        const answer = await this.#client.send(new ListTasksCommand(input), { abortSignal: signal });
        arns.push(...(answer.taskArns ?? []));
        nextToken = answer.nextToken;
      } catch (error) {
        throw awsError(error, {
          doing: `list tasks of ECS cluster ${this.#cluster}`,
          missing: `there is no ECS cluster ${this.#cluster}`,
        });
      }
    } while (nextToken !== undefined);
    return arns;
  }

  async stop(task: string, reason: string, signal: AbortSignal): Promise<void> {
    try {
      await this.#client.send(new StopTaskCommand({ cluster: this.#cluster, task, reason }), { abortSignal: signal });
    } catch (error) {
      throw awsError(error, { doing: `stop task ${task}` });
    }
  }
}
