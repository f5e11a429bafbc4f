import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { Mutant } from './mutants.ts';

/**
 * From now on the sources of the mutant are loaded with its bug in them; must be called before they are. What it answers
 * is to be called once they are loaded.
 * @throws where a source does not hold the text that is to be replaced exactly once, or was never loaded: the mutant would
 * not be one.
 */
export const plant = ({ name, changes }: Mutant): (() => void) => {
  const open = new Set(changes);
  registerHooks({
    load: (url, context, nextLoad) => {
      const loaded = nextLoad(url, context);
      const mine = changes.filter(({ file }) => url.endsWith(`/${file}`));
      if (mine.length === 0 || loaded.source === undefined || loaded.source === null) return loaded;
      let source = typeof loaded.source === 'string' ? loaded.source : Buffer.from(asBytes(loaded.source)).toString();
      for (const change of mine) {
        const parts = source.split(change.from);
        if (parts.length !== 2)
          throw new Error(`mutant "${name}": ${fileURLToPath(url)} holds ${parts.length - 1} times: ${change.from}`);
        source = parts.join(change.to);
        open.delete(change);
      }
      return { ...loaded, source };
    },
  });
  return () => {
    const [never] = open;
    if (never) throw new Error(`mutant "${name}": ${never.file} was never loaded`);
  };
};

const asBytes = (source: ArrayBuffer | NodeJS.TypedArray): Uint8Array =>
  source instanceof ArrayBuffer
    ? new Uint8Array(source)
    : new Uint8Array(source.buffer, source.byteOffset, source.byteLength);
