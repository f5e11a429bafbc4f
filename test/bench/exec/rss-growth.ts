import type { TargetProcess } from './target-process.ts';

export interface RssGrowth {
  /** The most memory the second half took, in bytes. */
  readonly rss: number;
  /** How much more that was than in the first half. */
  readonly growth: number;
}

/** Watches the memory of a target while `bytes` are carried; `carry` reports how many have been. */
export const watchRss = async (
  target: TargetProcess,
  bytes: number,
  carry: (onProgress: (carried: number) => void) => Promise<unknown>,
): Promise<RssGrowth> => {
  const highest = { first: 0, second: 0 };
  let carried = 0;
  let isOver = false;
  const watch = async (): Promise<void> => {
    while (!isOver) {
      const rss = await target.rss('now');
      const half = carried < bytes / 2 ? 'first' : 'second';
      highest[half] = Math.max(highest[half], rss);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  const watching = watch();
  await carry((now) => {
    carried = now;
  });
  isOver = true;
  await watching;
  return { rss: highest.second, growth: highest.second - highest.first };
};
