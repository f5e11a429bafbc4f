import type { KubernetesObject } from '../model/object.ts';
import { type ApiError, expired } from '../model/status.ts';
import { apiVersionOf, type ResourceDefinition } from '../resources/definition.ts';
import type { Change } from '../store/store.ts';
import type { Exchange } from './exchange.ts';
import type { ListOptions } from './options.ts';
import { representObject } from './represent.ts';
import { type ObjectSelector, objectSelector } from './select.ts';

/** A reader this far behind is cut off; it will list and watch anew. */
const MAX_UNSENT_BYTES = 16 * 1_024 * 1_024;
const BOOKMARK_EVERY_MS = 60_000;
/** The real server picks 30 to 60 minutes where the client names no time-out. */
const DEFAULT_TIMEOUT_SECONDS = 1_800;

/**
 * Streams changes, one JSON object a line, until the time-out, the client or the server's end. Without a
 * resourceVersion, at `0`, and with `sendInitialEvents` it begins with the present objects as ADDED.
 */
export const watchObjects = (
  exchange: Exchange,
  definition: ResourceDefinition,
  namespace: string | undefined,
  options: ListOptions,
): void => {
  const { store, clock, closing } = exchange.api;
  const selects = objectSelector(definition, options);
  const stream = new EventStream(exchange, definition);
  const stop = new AbortController();
  const unlisten = store.listen(definition.resource, (change) => {
    if (namespace === undefined || change.object.metadata.namespace === namespace) stream.send(selects, change);
  });
  const end = (): void => {
    if (stop.signal.aborted) return;
    stop.abort();
    unlisten();
    closing.removeEventListener('abort', end);
    exchange.response.end();
  };
  exchange.response.on('close', end);
  closing.addEventListener('abort', end);

  const from = options.sendsInitialEvents ? 0 : (options.resourceVersion ?? 0);
  if (from === 0) {
    for (const object of store.list(definition.resource, namespace).filter(selects)) stream.write('ADDED', object);
    const marksEnd = options.sendsInitialEvents || options.resourceVersion === undefined;
    if (options.allowsBookmarks && marksEnd) stream.bookmark(store.revision, true);
  } else {
    const changes = store.since(definition.resource, from);
    if (changes === 'expired') {
      stream.error(expired(`too old resource version: ${from} (${store.revision})`));
      end();
      return;
    }
    for (const change of changes) {
      if (namespace === undefined || change.object.metadata.namespace === namespace) stream.send(selects, change);
    }
  }
  const endsAt = clock.now() + (options.timeoutSeconds ?? DEFAULT_TIMEOUT_SECONDS) * 1_000;
  const tick = async (): Promise<void> => {
    while (clock.now() < endsAt) {
      await clock.sleep(Math.min(BOOKMARK_EVERY_MS, endsAt - clock.now()), stop.signal);
      if (options.allowsBookmarks) stream.bookmark(store.revision, false);
    }
    end();
  };
  tick().catch(() => end());
};

class EventStream {
  readonly #exchange: Exchange;
  readonly #definition: ResourceDefinition;
  #hasSentColumns = false;

  constructor(exchange: Exchange, definition: ResourceDefinition) {
    this.#exchange = exchange;
    this.#definition = definition;
    exchange.response.writeHead(200, { 'content-type': 'application/json', 'cache-control': 'no-cache, private' });
    exchange.response.flushHeaders();
  }

  /** A change as the selector sees it: what comes into view is ADDED, what leaves it DELETED. */
  send(selects: ObjectSelector, { type, object, previous, revision }: Change): void {
    const was = previous !== undefined && selects(previous);
    const is = type !== 'DELETED' && selects(object);
    if (is) this.write(was ? 'MODIFIED' : 'ADDED', object);
    else if (was) this.write('DELETED', type === 'DELETED' ? object : withVersion(previous, revision));
  }

  write(type: Change['type'], object: KubernetesObject): void {
    const shown = representObject(this.#exchange, this.#definition, object, !this.#hasSentColumns);
    this.#hasSentColumns = true;
    this.#line({ type, object: shown });
  }

  bookmark(revision: number, isInitialEnd: boolean): void {
    const object: KubernetesObject = {
      kind: this.#definition.kind,
      apiVersion: apiVersionOf(this.#definition),
      metadata: {
        resourceVersion: String(revision),
        ...(isInitialEnd ? { annotations: { 'k8s.io/initial-events-end': 'true' } } : {}),
      },
    };
    const isTable = this.#exchange.representation.as === 'table';
    const shown = isTable
      ? this.#emptyTable(object)
      : this.#exchange.representation.as === 'metadata'
        ? metadataOf(object)
        : object;
    this.#line({ type: 'BOOKMARK', object: shown });
  }

  error(error: ApiError): void {
    this.#line({ type: 'ERROR', object: error.status });
  }

  /** kubectl reads a bookmark's version from the table's row. */
  #emptyTable(object: KubernetesObject): object {
    return {
      kind: 'Table',
      apiVersion: 'meta.k8s.io/v1',
      metadata: { resourceVersion: object.metadata.resourceVersion },
      columnDefinitions: null,
      rows: [{ cells: this.#definition.printer.columns.map(() => ''), object: metadataOf(object) }],
    };
  }

  #line(event: object): void {
    const { response } = this.#exchange;
    if (response.writableEnded || response.destroyed) return;
    response.write(`${JSON.stringify(event)}\n`);
    if (response.writableLength > MAX_UNSENT_BYTES) response.destroy();
  }
}

const metadataOf = ({ metadata }: KubernetesObject): object => ({
  kind: 'PartialObjectMetadata',
  apiVersion: 'meta.k8s.io/v1',
  metadata,
});

const withVersion = (object: KubernetesObject, revision: number): KubernetesObject => ({
  ...object,
  metadata: { ...object.metadata, resourceVersion: String(revision) },
});
