import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Of a target process: tells its ports, then its memory whenever it is asked, and ends with its parent. */
export const answerParent = (ports: object): void => {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  process.on('message', (wanted) => {
    if (wanted === 'settled') collectGarbage();
    process.send?.(process.memoryUsage().rss);
  });
  process.on('disconnect', () => process.exit());
  process.send?.(ports);
};
