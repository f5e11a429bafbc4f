import { Writable } from 'node:stream';

/** What the runtime gives a streaming handler to write its answer to. */
export interface LambdaResponseStream extends Writable {
  setContentType(contentType: string): void;
  _onBeforeFirstWrite?: (write: (chunk: string | Uint8Array) => void) => void;
}

/**
 * The response stream of Lambda's Node runtime: what `HttpResponseStream.from` has prepared goes out with the first
 * write, be it empty, and never without one (an `end` with a chunk is none); the content type is fixed from then on.
 */
export class LocalResponseStream extends Writable implements LambdaResponseStream {
  _onBeforeFirstWrite?: (write: (chunk: string | Uint8Array) => void) => void;
  readonly #send: (chunk: Uint8Array) => Promise<void>;
  #begun = false;

  /** `send` takes the raw bytes; the next ones come when it is done. */
  constructor(send: (chunk: Uint8Array) => Promise<void>) {
    super();
    this.#send = send;
  }

  setContentType(_contentType: string): void {
    if (this.#begun) throw new Error('Cannot set content-type, too late.');
  }

  override write(chunk: unknown, ...rest: unknown[]): boolean {
    const write = super.write.bind(this) as (chunk: unknown, ...rest: unknown[]) => boolean;
    if (!this.#begun) {
      this.#begun = true;
      this._onBeforeFirstWrite?.((part) => write(part));
    }
    return write(chunk, ...rest);
  }

  override _write(chunk: Uint8Array, _encoding: string, callback: (error?: Error | null) => void): void {
    void this.#pass(chunk, callback);
  }

  async #pass(chunk: Uint8Array, callback: (error?: Error | null) => void): Promise<void> {
    try {
      await this.#send(chunk);
      callback();
    } catch (error) {
      callback(error instanceof Error ? error : new Error(String(error)));
    }
  }
}

/** Lambda's content type for an answer that begins with its metadata. */
const INTEGRATION_RESPONSE = 'application/vnd.awslambda.http-integration-response';

const runtimeGlobals = {
  streamifyResponse: <T>(handler: T): T => handler,
  HttpResponseStream: {
    /** Lets the answer begin with its metadata as JSON and eight NUL bytes. */
    from(stream: LambdaResponseStream, metadata: unknown): LambdaResponseStream {
      stream.setContentType(INTEGRATION_RESPONSE);
      stream._onBeforeFirstWrite = (write) => {
        write(JSON.stringify(metadata));
        write(new Uint8Array(8));
      };
      return stream;
    },
  },
};

/**
 * Provides the global `awslambda` that bundles of streaming functions expect. The AWS SDK makes an empty one of its own,
 * so what is there is only added to.
 */
export const installAwsLambda = (): void => {
  const scope: { awslambda?: object } = globalThis;
  scope.awslambda = { ...runtimeGlobals, ...scope.awslambda };
};
