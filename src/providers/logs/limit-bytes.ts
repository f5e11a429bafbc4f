/** Passes at most `limit` bytes on, cutting in the middle of a line as kubelet does; then ends. */
export async function* limitBytes(
  chunks: AsyncIterable<Uint8Array>,
  limit: number | undefined,
): AsyncGenerator<Uint8Array, void> {
  let left = limit ?? Number.POSITIVE_INFINITY;
  if (left <= 0) return;
  for await (const chunk of chunks) {
    yield chunk.subarray(0, left);
    left -= chunk.length;
    if (left <= 0) return;
  }
}
