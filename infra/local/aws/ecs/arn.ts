/** Names of ECS things in one account and region. */
export class Arns {
  readonly #prefix: string;

  constructor(region: string, accountId: string) {
    this.#prefix = `arn:aws:ecs:${region}:${accountId}:`;
  }

  cluster(name: string): string {
    return `${this.#prefix}cluster/${name}`;
  }

  taskDefinition(family: string, revision: number): string {
    return `${this.#prefix}task-definition/${family}:${revision}`;
  }

  task(cluster: string, id: string): string {
    return `${this.#prefix}task/${cluster}/${id}`;
  }

  container(cluster: string, taskId: string, id: string): string {
    return `${this.#prefix}container/${cluster}/${taskId}/${id}`;
  }
}

/** What follows the last slash: `web:3` of a definition's ARN, the id of a task's, the name of a cluster's. */
export const lastOf = (arnOrName: string): string => arnOrName.slice(arnOrName.lastIndexOf('/') + 1);
