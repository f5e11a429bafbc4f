/** Waits until `condition` holds, however loaded the machine is. */
export const eventually = async (condition: () => boolean, what = 'the condition'): Promise<void> => {
  for (const giveUpAt = Date.now() + 15_000; !condition(); ) {
    if (Date.now() > giveUpAt) throw new Error(`${what}: not within 15 s`);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
};
