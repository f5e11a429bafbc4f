/** Does `act` for every item, at most `limit` at a time; answers in the order of the items. Rejects as `Promise.all` does. */
export const concurrently = async <T, R>(
  items: readonly T[],
  limit: number,
  act: (item: T) => Promise<R>,
): Promise<readonly R[]> => {
  const results = new Array<R>(items.length);
  const queue = items.entries();
  const workers = Array.from({ length: Math.min(limit, items.length) }, async () => {
    for (const [index, item] of queue) results[index] = await act(item);
  });
  await Promise.all(workers);
  return results;
};
