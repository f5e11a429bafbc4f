/** What a shell shows for a program that SIGPIPE ended, which Node ignores. */
const BROKEN_PIPE = 141;

/** Ends the process without a word once nobody reads its output any more, as `svk … | head` wants it. */
export const endWithReader = ({ stdout, stderr, exit }: Pick<NodeJS.Process, 'stdout' | 'stderr' | 'exit'>): void => {
  for (const stream of [stdout, stderr])
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE') exit(BROKEN_PIPE);
      throw error;
    });
};
