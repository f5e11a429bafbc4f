/** What came back from one invocation. `failed` is true where the function threw. */
export interface Invocation {
  readonly failed: boolean;
  readonly payload: unknown;
}

/** Invokes functions of the local cloud by name, through serverless-offline's Lambda endpoint. */
export class LocalLambda {
  readonly #url: string;

  constructor(url: string) {
    this.#url = url;
  }

  /** Waits for the answer (`RequestResponse`). @throws where the endpoint itself can't be reached. */
  async invoke(functionName: string, event: unknown, signal?: AbortSignal): Promise<Invocation> {
    const response = await fetch(`${this.#url}/2015-03-31/functions/${functionName}/invocations`, {
      method: 'POST',
      body: JSON.stringify(event),
      ...(signal && { signal }),
    });
    const text = await response.text();
    const failed = !response.ok || response.headers.has('x-amz-function-error');
    return { failed, payload: text === '' ? undefined : JSON.parse(text) };
  }
}
