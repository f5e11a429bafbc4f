import * as z from 'zod/mini';

/** What a streamed answer begins with. */
export interface Metadata {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[]>>;
}

const metadata = z.object({
  statusCode: z.optional(z.number().check(z.int(), z.gte(100), z.lte(599))),
  headers: z.optional(z.record(z.string(), z.string())),
  multiValueHeaders: z.optional(z.record(z.string(), z.array(z.string()))),
  cookies: z.optional(z.array(z.string())),
});

const DELIMITER = Buffer.alloc(8);
/** API Gateway wants the metadata within the first 16 KB. */
const MAX_METADATA_BYTES = 16_384;

/** Takes apart the bytes of a streaming function: metadata as JSON, eight NUL bytes, then the body. */
export class IntegrationResponse {
  #head: Buffer | undefined = Buffer.alloc(0);

  /** True once the metadata has been answered by `feed`. */
  get begun(): boolean {
    return this.#head === undefined;
  }

  /**
   * The part of `chunk` that belongs to the body, and with the first of them the metadata.
   * @throws {Error} where the bytes do not begin with metadata.
   */
  feed(chunk: Uint8Array): { readonly metadata?: Metadata; readonly body: Uint8Array } {
    if (this.#head === undefined) return { body: chunk };
    this.#head = Buffer.concat([this.#head, chunk]);
    const end = this.#head.indexOf(DELIMITER);
    if (end === -1) {
      if (this.#head.length > MAX_METADATA_BYTES) throw new Error('no metadata within the first 16 KB of the answer');
      return { body: Buffer.alloc(0) };
    }
    const text = this.#head.subarray(0, end).toString('utf8');
    const body = this.#head.subarray(end + DELIMITER.length);
    this.#head = undefined;
    return { metadata: parseMetadata(text), body };
  }
}

const parseMetadata = (text: string): Metadata => {
  const { statusCode = 200, headers = {}, multiValueHeaders = {}, cookies } = z.parse(metadata, JSON.parse(text));
  return {
    status: statusCode,
    headers: { ...headers, ...multiValueHeaders, ...(cookies === undefined ? {} : { 'set-cookie': cookies }) },
  };
};
