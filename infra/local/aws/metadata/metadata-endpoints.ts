import type { Random } from '../../../../src/core/clock.ts';

/** A container's own place at the metadata endpoint. */
export interface MetadataEndpoint {
  readonly taskArn: string;
  readonly container: string;
}

/** Which unguessable path belongs to which container: whoever knows the path may read what is behind it. */
export class MetadataEndpoints {
  readonly #random: Random;
  readonly #byId = new Map<string, MetadataEndpoint>();
  #url: string | undefined;

  constructor(random: Random) {
    this.#random = random;
  }

  /** The server's `http://HOST:PORT`, once it listens. */
  serveAt(url: string): void {
    this.#url = url;
  }

  /** The value of ECS_CONTAINER_METADATA_URI_V4; undefined where nothing is served. */
  open(taskArn: string, container: string): string | undefined {
    if (this.#url === undefined) return undefined;
    const id = this.#random.uuid();
    this.#byId.set(id, { taskArn, container });
    return `${this.#url}/v4/${id}`;
  }

  find(id: string): MetadataEndpoint | undefined {
    return this.#byId.get(id);
  }

  /** The task has ended. */
  forget(taskArn: string): void {
    for (const [id, endpoint] of this.#byId) if (endpoint.taskArn === taskArn) this.#byId.delete(id);
  }
}
