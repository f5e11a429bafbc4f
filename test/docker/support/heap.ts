import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Bytes of the heap that are really needed: garbage is collected first. */
export const heapInUse = async (): Promise<number> => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  // What one turn of the event loop lets go of, the next one collects.
  for (let turn = 0; turn < 3; turn += 1) {
    await new Promise((resolve) => setImmediate(resolve));
    collect();
  }
  return process.memoryUsage().heapUsed;
};

/** Open sockets, servers and pipes of this process. */
export const openHandles = (): number =>
  process.getActiveResourcesInfo().filter((name) => /Wrap$|Server|Socket|Pipe|TCP/.test(name) && name !== 'TTYWrap')
    .length;
